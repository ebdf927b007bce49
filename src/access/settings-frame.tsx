/** The pages about me: one area with a navigation of its own. */
import type { ComponentChildren } from 'preact';
import { accountTexts } from '../web/account-texts.ts';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { ownKeysPath, passwordPath, profilePath, sessionsPath } from './account-addresses.ts';

const words = accountTexts.settings;

const parts = {
  profile: profilePath,
  password: passwordPath,
  keys: ownKeysPath,
  sessions: sessionsPath,
  mail: siteAddresses.mailSettings,
} as const;

export type SettingsPart = keyof typeof parts;

export interface SettingsPage {
  frame: PageFrame;
  part: SettingsPart;
  /** The word of the navigation when absent. */
  title?: string;
  /** Stands under the title. */
  line?: ComponentChildren;
  children: ComponentChildren;
}

export function renderSettings({ frame, part, title = words[part], line, children }: SettingsPage): string {
  return renderPage({
    frame,
    title,
    forms: true,
    children: (
      <div class="settings">
        <nav class="settings-nav" aria-label={words.title}>
          <ul>
            {(Object.keys(parts) as SettingsPart[]).map((name) => (
              <li key={name}>
                <a class="settings-link" href={parts[name]} aria-current={name === part ? 'page' : undefined}>
                  {words[name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="settings-part">
          <div class="settings-head">
            <h1>{title}</h1>
            {line !== undefined && <p class="secondary">{line}</p>}
          </div>
          {children}
        </div>
      </div>
    ),
  });
}
