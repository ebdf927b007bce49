import type { Tab } from '../../web/components/tabs.tsx';
import { settingsParts } from '../../web/shell/settings/settings-layout.tsx';
import { settingsTexts } from '../../web/shell/settings/settings-texts.ts';
import type { App } from '../app.ts';
import {
  appDeletionPath,
  appRetentionPath,
  appSettingsPath,
  checkSettingsPath,
  developerVerificationPath,
} from '../app-paths.ts';

const t = settingsTexts;

/** The pages of the Settings tab of an app. */
export const appSettingsParts = (
  app: App,
  current: 'general' | 'checks' | 'retention' | 'verification' | 'deletion',
): Tab[] =>
  settingsParts(current, {
    general: { label: t.general, address: appSettingsPath(app) },
    checks: { label: t.checks, address: checkSettingsPath(app) },
    retention: { label: t.retention, address: appRetentionPath(app) },
    ...(app.platform === 'android'
      ? { verification: { label: t.developerVerification, address: developerVerificationPath(app) } }
      : {}),
    deletion: { label: t.deletion, address: appDeletionPath(app) },
  });
