import type { PageFrames } from '../access/page-frames-http.ts';
import type { RouteAccess } from '../access/route-access-http.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Route } from '../http/routes/route.ts';
import type { LoadBuildMail } from './build-mail.ts';
import { mailAdministrationRoutes } from './mail-administration-routes.ts';
import type { MailHindrance } from './mail-config.ts';
import { mailSettingsRoutes } from './mail-settings-routes.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';
import type { UnsubscribeTokens } from './unsubscribe-token.ts';

export interface MailRouteParts {
  data: Data;
  access: RouteAccess;
  frames: PageFrames;
  tokens: UnsubscribeTokens;
  load: LoadBuildMail;
  hindrance: MailHindrance;
  now: () => number;
  wakeOutbox: () => void;
}

/** All pages about mail. */
export function mailRoutes(parts: MailRouteParts): (RouteModule | readonly Route[])[] {
  return [
    unsubscribeRoutes(parts),
    mailSettingsRoutes({ ...parts, canSend: parts.hindrance === null }),
    mailAdministrationRoutes(parts),
  ];
}
