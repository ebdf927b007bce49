/** On the way to a provider, to sign in or out there. */
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

export interface LeavingPageProps {
  frame: PageFrame;
  provider: string;
  way: keyof typeof singleSignOnTexts.leaving;
  address: string;
}

export function renderLeavingPage({ frame, provider, way, address }: LeavingPageProps): string {
  const t = singleSignOnTexts.leaving[way];
  return renderPage({
    frame,
    title: t.title,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{t.title}</h1>
        <p class="secondary" dir="auto">
          {t.line({ provider })}
        </p>
        <p class="actions">
          <a class="button button-primary" href={address}>
            <bdi>{t.go({ provider })}</bdi>
          </a>
        </p>
      </div>
    ),
  });
}
