/** Frame of the account settings, with their navigation. */
import type { ComponentChildren } from 'preact';
import { type Page, renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import {
  ownInvitationsPath,
  ownKeysPath,
  passwordPath,
  profilePath,
  securityPath,
  sessionsPath,
} from './account-paths.ts';

const t = accountTexts.settings;

const parts = {
  profile: profilePath,
  password: passwordPath,
  security: securityPath(null),
  keys: ownKeysPath,
  sessions: sessionsPath,
  invitations: ownInvitationsPath,
  devices: sitePaths.ownDevices,
  mail: sitePaths.mailSettings,
} as const;

export type SettingsPart = keyof typeof parts;

export interface SettingsPage {
  frame: PageFrame;
  part: SettingsPart;
  /** Defaults to the navigation label. */
  title?: string;
  /** Line below the title. */
  line?: ComponentChildren;
  scripts?: Page['scripts'];
  children: ComponentChildren;
}

/** When passwords are off, the pages for passwords and second factors are not linked. */
function partsOf({ hasPasswords }: PageFrame): SettingsPart[] {
  const names = Object.keys(parts) as SettingsPart[];
  return hasPasswords === false ? names.filter((name) => name !== 'password' && name !== 'security') : names;
}

export function renderSettings(page: SettingsPage): string {
  const { frame, part, title = t[part], line, scripts, children } = page;
  return renderPage({
    frame,
    title,
    forms: true,
    ...(scripts ? { scripts } : {}),
    children: (
      <div class="settings">
        <nav class="settings-nav" aria-label={t.title}>
          <ul>
            {partsOf(frame).map((name) => (
              <li key={name}>
                <a class="settings-link" href={parts[name]} aria-current={name === part ? 'page' : undefined}>
                  {t[name]}
                </a>
              </li>
            ))}
            {frame.viewer?.administrator && (
              <li>
                <a class="settings-link" href={sitePaths.administration}>
                  {texts.administration.title}
                </a>
              </li>
            )}
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
