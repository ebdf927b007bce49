/** The email about rules of the stores that begin soon, as text and HTML. */
import { appName } from '../../apps/app.ts';
import { buildChecksPath } from '../../apps/app-paths.ts';
import type { FoundInNewest } from '../../insight/calendar/newest-builds.ts';
import type { RuleReminder } from '../../insight/calendar/rule-reminders.ts';
import { checkTexts, ruleAdvice, ruleDay, ruleName, timingText } from '../../insight/checks/check-texts.ts';
import { dayMs } from '../../insight/checks/evaluate-checks.ts';
import type { Brand } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import type { MailLinks } from '../pages/mail-paths.ts';
import {
  fineStyle,
  MailButton,
  paragraphStyle,
  renderPlainMailHtml,
  renderPlainMailText,
} from './plain-mail.tsx';

export interface RuleReminderEmail extends RuleReminder {
  links: MailLinks;
  brand: Brand;
  now: number;
}

const t = mailTexts.reminder;
/** How many each rule names. */
const maxApps = 20;
const maxSubjectName = 100;

export function ruleReminderSubject({ found, owner }: RuleReminderEmail): string {
  const [first] = found;
  const count = countApps(found);
  const day = (first && ruleDay(first.rule)) ?? '';
  return first && count === 1
    ? t.subjectOfApp({ app: appName(first.app).slice(0, maxSubjectName), day })
    : t.subject({ count, owner: owner.name, day });
}

const countApps = (found: readonly FoundInNewest[]) => new Set(found.map(({ app }) => app.id)).size;

/** The paragraphs about each rule. */
const rulesOf = ({ found, links }: RuleReminderEmail) =>
  [...Map.groupBy(found, ({ rule }) => rule.id).values()].flatMap((broken) => {
    const [first] = broken;
    if (!first) return [];
    const { rule, result } = first;
    const { kind, threshold: limit } = rule;
    return [
      {
        name: t.rule({
          destination: checkTexts.destinations[rule.destination],
          name: ruleName(rule),
        }),
        timing: timingText(result) ?? '',
        advice: t.advice({ advice: ruleAdvice({ kind, limit }) }),
        source: rule.reportedBy ?? rule.source,
        sourceLabel: rule.reportedBy === null ? t.source : t.reported,
        apps: broken.slice(0, maxApps).map(({ app, revision }) => ({
          label: t.app({ app: appName(app), revision, platform: texts.platforms[app.platform] }),
          address: `${links.origin}${buildChecksPath(app, revision)}#${rule.id}`,
        })),
        more: broken.length > maxApps ? t.more({ count: broken.length - maxApps }) : null,
      },
    ];
  });

function introOf({ found, owner, now }: RuleReminderEmail): string {
  const [first] = found;
  const count = countApps(found);
  if (first?.rule.isMonth)
    return t.introOfMonth({ month: ruleDay(first.rule) ?? '', count, owner: owner.name });
  const begins = Date.parse(first?.rule.from ?? '');
  return t.intro({ days: Math.max(1, Math.ceil((begins - now) / dayMs)), count, owner: owner.name });
}

const calendarOf = ({ links }: RuleReminderEmail) => `${links.origin}${sitePaths.storeRules}`;

export function renderRuleReminderText(email: RuleReminderEmail): string {
  const { owner, links, brand } = email;
  const rules = rulesOf(email).map(({ name, timing, advice, apps, more, source, sourceLabel }) =>
    [
      texts.labeledText({ label: name, value: timing }),
      ...apps.flatMap(({ label, address }) => [`- ${label}`, `  ${address}`]),
      ...(more === null ? [] : [more]),
      advice,
      texts.labeledText({ label: sourceLabel, value: source }),
    ].join('\n'),
  );
  return renderPlainMailText(
    [introOf(email), ...rules, t.accepted, texts.labeledBelow({ label: t.open, value: calendarOf(email) })],
    {
      signature: [
        t.reason({ owner: owner.name }),
        texts.labeledText({ label: t.unsubscribe({ owner: owner.name }), value: links.unsubscribe }),
      ],
      brand,
    },
  );
}

export function renderRuleReminderHtml(email: RuleReminderEmail): string {
  const { owner, links, brand } = email;
  return renderPlainMailHtml({
    subject: ruleReminderSubject(email),
    brand,
    children: (
      <>
        <p style={paragraphStyle}>{introOf(email)}</p>
        {rulesOf(email).map(({ name, timing, advice, apps, more, source, sourceLabel }) => (
          <div key={name} style="margin:0 0 24px;padding:0 0 0 14px;border-left:3px solid #9aa8aa">
            <p style={`${paragraphStyle};margin:0`}>
              <strong>{name}</strong>
            </p>
            <p style={`${paragraphStyle};margin:0 0 8px`}>{timing}</p>
            <ul style={`${paragraphStyle};margin:0 0 8px;padding:0 0 0 20px`}>
              {apps.map(({ label, address }) => (
                <li key={address}>
                  <a href={address}>
                    <bdi>{label}</bdi>
                  </a>
                </li>
              ))}
              {more !== null && <li>{more}</li>}
            </ul>
            <p style={`${paragraphStyle};margin:0 0 4px`}>{advice}</p>
            <p style={`${fineStyle};margin:0`}>
              <a href={source}>{sourceLabel}</a>
            </p>
          </div>
        ))}
        <p style={paragraphStyle}>{t.accepted}</p>
        <MailButton address={calendarOf(email)} brand={brand} label={t.open} />
        <p style={fineStyle}>{t.reason({ owner: owner.name })}</p>
        <p style={fineStyle}>
          <a href={links.unsubscribe}>{t.unsubscribe({ owner: owner.name })}</a>
          {' · '}
          <a href={links.settings}>{mailTexts.message.settings}</a>
        </p>
      </>
    ),
  });
}
