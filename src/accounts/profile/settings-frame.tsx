/** Frame of the account settings, with their navigation. */
import type { ComponentChildren } from 'preact';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { type Page, renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsLayout } from '../../web/shell/settings/settings-layout.tsx';
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
      <SettingsLayout
        parts={[
          ...partsOf(frame).map((name) => ({
            label: t[name],
            address: parts[name],
            isCurrent: name === part,
          })),
          ...(frame.viewer?.administrator
            ? [{ label: texts.administration.title, address: sitePaths.administration, isCurrent: false }]
            : []),
        ]}
      >
        <TitleBlock title={title} line={line} />
        {children}
      </SettingsLayout>
    ),
  });
}
