import type { PageFrames } from '../../accounts/sign-in/page-frames-http.ts';
import type { Route } from '../../http/routes/route.ts';
import { type MailAdministrationParts, mailAdministrationRoutes } from './mail-administration-routes.ts';
import { mailSettingsRoutes } from './mail-settings-routes.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';
import type { UnsubscribeTokens } from './unsubscribe-token.ts';

export interface MailRouteParts extends MailAdministrationParts {
  frames: PageFrames;
  tokens: UnsubscribeTokens;
}

/** All pages about mail. */
export function mailRoutes(parts: MailRouteParts): Route[] {
  return [
    ...unsubscribeRoutes(parts),
    ...mailSettingsRoutes({ ...parts, canSend: parts.unavailableReason === null }),
    ...mailAdministrationRoutes(parts),
  ];
}
