/** Sends a person one email about rules of the stores that begin on one day. */
import type { Brands } from '../branding/brands.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Data } from '../db/data.ts';
import { loadRuleReminder } from '../insight/calendar/rule-reminders.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { useLanguageOf } from '../owners/recipient-language.ts';
import type { MailDelivery } from './delivery.ts';
import {
  renderRuleReminderHtml,
  renderRuleReminderText,
  ruleReminderSubject,
} from './messages/rule-reminder-email.tsx';
import { subscriptionHeaders } from './messages/subscription-headers.ts';
import { mailChoiceQueries } from './pages/mail-choice-queries.ts';
import { mailLinks, unsubscribePath } from './pages/mail-paths.ts';
import type { UnsubscribeTokens } from './pages/unsubscribe-token.ts';

/** Rejects if the email should be retried. */
export function createSendRuleReminder(deps: {
  data: Data;
  brands: Pick<Brands, 'forEmail'>;
  tokens: UnsubscribeTokens;
  /** Null if email cannot be sent. */
  delivery: Pick<MailDelivery, 'mailer' | 'from' | 'origin'> | null;
  now: () => number;
}): JobHandlers['send-store-rule-mail'] {
  const { data, delivery, now } = deps;
  return async (job) => {
    if (!delivery || now() > job.until) return;
    const reminder = await loadRuleReminder(data, job, now());
    if (!reminder) return;
    const { to, owner } = reminder;
    const appIds = reminder.found.map(({ app }) => app.id);
    const unwanted = await mailChoiceQueries(data).listUnwanted(to.userId, appIds);
    const found = reminder.found.filter(({ app }) => !unwanted.has(app.id));
    const [first] = found;
    if (!first) return;
    await useLanguageOf(data, to.userId);
    const { from, origin, mailer } = delivery;
    const token = deps.tokens.issue({ userId: to.userId, subjectId: owner.id });
    const links = mailLinks(origin, `${origin}${unsubscribePath(token)}`);
    const brand = await deps.brands.forEmail(first.app.owner);
    const email = { ...reminder, found, links, brand, now: now() };
    const outcome = await mailer.send({
      messageId: `${newIdentifier(now())}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
      date: now(),
      from,
      to: { name: to.name, address: to.address },
      subject: ruleReminderSubject(email),
      headers: subscriptionHeaders(`store-rules.${owner.id}`, links.unsubscribe, origin),
      text: renderRuleReminderText(email),
      html: renderRuleReminderHtml(email),
      pictures: [],
    });
    if (outcome.kind === 'later') throw new Error(`the email could not be sent: ${outcome.reason}`);
  };
}
