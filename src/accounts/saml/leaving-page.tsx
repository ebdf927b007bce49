/** Leads from a sign-out here to the one at the provider. */
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { samlTexts } from './saml-texts.ts';

const t = samlTexts.leaving;

export function renderLeavingPage(props: { frame: PageFrame; provider: string; address: string }): string {
  const { frame, provider, address } = props;
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
