/** The checks of a build, by category, the worst result first. */
import type { App, Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { buildChecksPath, checkSettingsPath } from '../../apps/app-paths.ts';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import { Confirm, Field } from '../../web/components/form-field.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { CheckStateBadge } from './check-badge.tsx';
import { type CheckResult, checkCategories, checkStates, groupAlike, worstState } from './check-result.ts';
import {
  checkName,
  checkSentence,
  checkTexts,
  checkTitle,
  dayText,
  itemText,
  ruleAdvice,
  timingText,
} from './check-texts.ts';
import { dayOf } from './evaluate-checks.ts';
import { RuleSource } from './rule-source.tsx';

export interface ChecksPageProps {
  frame: PageFrame;
  head: AppHead;
  app: App;
  build: Build;
  /** Null until the build is analyzed. */
  results: readonly CheckResult[] | null;
  hasFailed: boolean;
  hasDestination: boolean;
  /** Whether the page shows its forms. */
  manages: boolean;
  done: string | null;
  /** A refused reason. */
  refused?: { checkId: string; reason: string; errors: readonly string[] };
}

const t = checkTexts;
const shownItems = 5;
type Group = ReturnType<typeof groupAlike>[number];

export function renderChecksPage(props: ChecksPageProps): string {
  const { frame, head, app, build, results, manages } = props;
  const worst = results && worstState(results);
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'checks',
    documentTitle: t.titleOf({ revision: build.revision }),
    forms: manages,
    state: worst && <CheckStateBadge state={worst} />,
    line:
      results === null
        ? props.hasFailed
          ? t.analysisFailed
          : t.waiting
        : countsText(groupAlike(results).map(worstOf)),
    actions: manages && (
      <>
        <a class="button" href={sitePaths.storeRules}>
          {t.calendar.link}
        </a>
        <a class="button" href={checkSettingsPath(app)}>
          {t.settings}
        </a>
      </>
    ),
    done: props.done,
    children: results && (
      <>
        {!props.hasDestination && (
          <p class="callout callout-warning" role="note">
            {t.noDestination} {manages && <a href={checkSettingsPath(app)}>{t.chooseDestination}</a>}
          </p>
        )}
        {results.length === 0 && <p class="soft">{t.none}</p>}
        {checkCategories.map((category) => (
          <Category key={category} {...props} category={category} results={results} />
        ))}
      </>
    ),
  });
}

/** `1 failed · 2 warnings · 9 passed` */
export function countsText(results: readonly Pick<CheckResult, 'state'>[]): string {
  return checkStates
    .map((state) => ({ state, count: results.filter((one) => one.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => t.counts[state]({ count }))
    .join(' · ');
}

function Category(
  props: ChecksPageProps & { category: CheckResult['category']; results: readonly CheckResult[] },
) {
  const { category } = props;
  const groups = groupAlike(props.results.filter((one) => one.category === category));
  const sorted = checkStates.flatMap((state) => groups.filter((group) => worstState(group) === state));
  if (sorted.length === 0) return null;
  return (
    <section class="section" aria-labelledby={category}>
      <h2 id={category}>{t.categories[category]}</h2>
      <ul class="panel rows check-rows">
        {sorted.map((group) => (
          <Row key={group[0].id} {...props} group={group} />
        ))}
      </ul>
    </section>
  );
}

/** The worst result of a group stands for it, because the others found the same. */
const worstOf = (group: Group): CheckResult =>
  group.find(({ state }) => state === worstState(group)) ?? group[0];

function Row(props: ChecksPageProps & { group: Group }) {
  const { frame, group } = props;
  const result = worstOf(group);
  const { rule, acceptance } = result;
  const title = group.length > 1 ? checkName(result) : checkTitle(result);
  return (
    <li id={result.id}>
      <CheckStateBadge state={result.state} />
      <span class="grow">
        <span class="line-1">
          <strong>{title}</strong>
        </span>
        <span class="line-2">{checkSentence(result)}</span>
        <Items result={result} />
        {rule && (result.found === 'failed' || result.found === 'warned') && (
          <span class="line-2">{ruleAdvice({ kind: rule.kind, limit: result.limit })}</span>
        )}
        {(result.found === 'passed' ? [result] : group).map((one) => (
          <Timing key={one.id} result={one} now={frame.now} />
        ))}
        {acceptance && (
          <span class="line-2">
            {t.acceptedBy({
              user: acceptance.by,
              name: isolated,
              time: timeOf(acceptance.at, frame.now),
            })}{' '}
            <bdi>{acceptance.reason}</bdi>
          </span>
        )}
      </span>
      {props.manages && <RowAction {...props} result={result} name={title} />}
    </li>
  );
}

function Timing({ result, now }: { result: CheckResult; now: number }) {
  const { rule } = result;
  if (!rule) return null;
  const timing = timingText(result);
  return (
    <span class="line-2 fine">
      {timing && <strong>{timing} · </strong>}
      {timing && rule.extendedUntil && (
        <>
          {(rule.extendedUntil < dayOf(now) ? t.timing.extended : t.timing.extendedUntil)({
            day: dayText(rule.extendedUntil),
          })}
          {' · '}
        </>
      )}
      <RuleSource rule={rule} />
    </span>
  );
}

function Items({ result: { items, found } }: { result: CheckResult }) {
  if (items.length === 0 || found === 'passed') return null;
  const lines = items.map(itemText);
  const list = (some: readonly string[]) => (
    <ul class="points fine">
      {some.map((line) => (
        <li key={line}>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {list(lines.slice(0, shownItems))}
      {lines.length > shownItems && (
        <details class="quiet-fold">
          <summary>{t.more({ count: lines.length - shownItems })}</summary>
          {list(lines.slice(shownItems))}
        </details>
      )}
    </>
  );
}

function RowAction(props: ChecksPageProps & { result: CheckResult; name: string }) {
  const { frame, app, build, result, name, refused } = props;
  const address = `${buildChecksPath(app, build.revision)}/${result.id}`;
  if (result.state === 'accepted')
    return (
      <Confirm
        frame={frame}
        action={`${address}/revoke`}
        ask={t.revoke}
        label={`${t.revoke}: ${name}`}
        line={t.revokeLine}
        tone="quiet"
      />
    );
  if (result.state !== 'failed' && result.state !== 'warned') return null;
  const mine = refused?.checkId === result.id ? refused : null;
  return (
    <Confirm
      frame={frame}
      action={`${address}/accept`}
      ask={t.accept}
      label={`${t.accept}: ${name}`}
      line={t.acceptLine}
      buttonTone="primary"
      tone="quiet"
      isOpen={mine !== null}
    >
      <Field
        id={`reason-${result.id}`}
        label={t.reason}
        errors={mine?.errors}
        control={(attributes) => (
          <textarea {...attributes} name="reason" rows={3} dir="auto" required value={mine?.reason ?? ''}>
            {mine?.reason ?? ''}
          </textarea>
        )}
      />
    </Confirm>
  );
}
