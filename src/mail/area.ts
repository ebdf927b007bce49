import type { PageFrames } from '../accounts/authorization/page-frames-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { ComposeAccountEmail } from '../accounts/profile/account-email.ts';
import type { Config } from '../config.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { writeBundleFailure } from '../uploads/bundle-failure.ts';
import { createAnnounceBuild } from './announce-build.ts';
import { type MailDelivery, openDelivery } from './delivery.ts';
import { mailUnavailableReason } from './mail-config.ts';
import type { Mailer } from './mailer.ts';
import { type BuildMailDeps, createLoadBuildMail } from './messages/build-mail.ts';
import { createComposeMail } from './messages/compose-mail.ts';
import { mailAdministrationRoutes } from './pages/mail-administration-routes.ts';
import { mailSettingsRoutes } from './pages/mail-settings-routes.ts';
import { unsubscribeRoutes } from './pages/unsubscribe-routes.ts';
import { createUnsubscribeTokens } from './pages/unsubscribe-token.ts';
import { createSendAccountEmail, type SendAccountEmailDeps } from './send-account-email.ts';
import { createSendMail } from './send-mail.ts';
import { createSendRuleReminder } from './send-rule-reminder.ts';
import { createSendTestEmail } from './send-test-email.ts';

interface MailAreaDeps extends BuildMailDeps {
  config: Pick<Config, 'mail' | 'publicUrl'>;
  secret: ServerSecret;
  access: RouteAccess;
  frames: PageFrames;
  composeAccountEmail: ComposeAccountEmail;
  /** Replaces the SMTP server in the settings. */
  mailer: Mailer | undefined;
  now: () => number;
  log: { warn(fields: object, message: string): void };
  wakeOutbox: () => void;
}

export interface MailArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'announce-build' | 'send-mail' | 'send-account-email' | 'send-store-rule-mail'>;
  /** Null if email cannot be sent. */
  delivery: MailDelivery | null;
  close(): Promise<void>;
}

/** Email about builds and accounts, subscriptions, and delivery. */
export async function createMailArea(deps: MailAreaDeps): Promise<MailArea> {
  const { config, data, now, log, wakeOutbox } = deps;
  const tokens = createUnsubscribeTokens(deps.secret);
  const load = createLoadBuildMail(deps);
  const delivery = await openDelivery(config, {
    mailer: deps.mailer,
    createCompose: (settings) => createComposeMail({ data, load, tokens, now, ...settings }),
  });
  const canSend = delivery !== null;
  const compose: SendAccountEmailDeps['compose'] = (accountEmail, site) =>
    accountEmail.about === 'bundle-failed'
      ? writeBundleFailure(data, accountEmail)
      : deps.composeAccountEmail(accountEmail, site);
  const routeDeps = {
    ...deps,
    load,
    tokens,
    canSend,
    unavailableReason: mailUnavailableReason(config),
    sendTestEmail: delivery && createSendTestEmail({ ...deps, delivery }),
  };
  return {
    routes: [
      ...unsubscribeRoutes(routeDeps),
      ...mailSettingsRoutes(routeDeps),
      ...mailAdministrationRoutes(routeDeps),
    ],
    jobs: {
      'announce-build': createAnnounceBuild({ data, canSend, now, wakeOutbox }),
      'send-mail': createSendMail({ data, delivery, now }),
      'send-store-rule-mail': createSendRuleReminder({ ...deps, tokens, delivery }),
      'send-account-email': createSendAccountEmail({ delivery, compose, brands: deps.brands, now, log }),
    },
    delivery,
    close: async () => delivery?.mailer.close(),
  };
}
