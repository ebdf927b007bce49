/** Which apps break which rule of a store, and when it begins. */

import { appName } from '../../apps/app.ts';
import { buildChecksPath, checkSettingsPath, platformAppPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import type { FieldErrors } from '../../core/errors.ts';
import { countryNames } from '../../distributions/install/developer-verification.ts';
import { Badge } from '../../web/components/callout.tsx';
import { Confirm, PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { FoldedList } from '../../web/components/result-list.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { CheckStateBadge } from '../checks/check-badge.tsx';
import { checkTexts, itemText, ruleDay, ruleName } from '../checks/check-texts.ts';
import { RuleSource } from '../checks/rule-source.tsx';
import { addableKinds, type EffectiveRule } from '../checks/store-rules.ts';
import type { RuleCalendar, RuleWithApps } from './rule-calendar.ts';

export interface RuleCalendarProps extends RuleCalendar {
  frame: PageFrame;
  /** Whether the page has forms. */
  administers: boolean;
  done: string | null;
  submitted?: Readonly<Record<string, string>>;
  errors?: FieldErrors;
  /** A refused change of a rule. */
  refused?: { rule: string; submitted: Readonly<Record<string, string>>; errors: FieldErrors };
}

const t = checkTexts.calendar;

export function renderRuleCalendar(props: RuleCalendarProps): string {
  const { frame, rules } = props;
  const upcoming = rules.filter(({ isUpcoming }) => isUpcoming);
  const inForce = rules.filter(({ isUpcoming }) => !isUpcoming);
  const broken = inForce.filter(({ apps }) => apps.length > 0);
  const kept = inForce.filter(({ apps }) => apps.length === 0);
  const isRefused = kept.some(({ rule }) => rule.id === props.refused?.rule);
  return renderPage({
    frame,
    title: t.title,
    section: 'apps',
    // Also has the styles of lists and folds.
    forms: true,
    head: (
      <ConsoleHead
        title={t.title}
        details={<span>{t.line({ count: Math.min(props.checked, props.limit) })}</span>}
      />
    ),
    children: (
      <>
        <SuccessMessage sentence={props.done} />
        {props.checked > props.limit && <p class="callout">{t.limited({ limit: props.limit })}</p>}
        <WithoutDestination {...props} />
        <section class="section" aria-labelledby="upcoming">
          <h2 id="upcoming">{t.upcoming}</h2>
          <Rules {...props} shown={upcoming} />
        </section>
        <section class="section" aria-labelledby="in-force">
          <h2 id="in-force">{t.inForce}</h2>
          <Rules {...props} shown={broken} />
          {kept.length > 0 && (
            <details class="quiet-fold" open={isRefused}>
              <summary>{t.kept({ count: kept.length })}</summary>
              <Rules {...props} shown={kept} />
            </details>
          )}
        </section>
        {props.administers && <AddForm {...props} />}
      </>
    ),
  });
}

/** Only the settings of own apps are certain to be open to the viewer; the page of an app links to them for people who manage it. */
function WithoutDestination({ frame, withoutDestination: apps, limit }: RuleCalendarProps) {
  if (apps.length === 0) return null;
  return (
    <details class="callout callout-warning">
      <summary>
        {t.withoutDestination({ count: Math.min(apps.length, limit), isMore: String(apps.length > limit) })}
      </summary>
      <FoldedList
        style="points"
        rows={apps.slice(0, limit).map((app) => (
          <li key={app.id}>
            <a
              href={
                app.owner.name === frame.viewer?.name
                  ? checkSettingsPath(app)
                  : platformAppPath(app.owner, app.platform, app.packageName)
              }
            >
              <bdi>{appName(app)}</bdi>
            </a>{' '}
            <span class="soft">
              {app.owner.name} · {texts.platforms[app.platform]}
            </span>
          </li>
        ))}
      />
    </details>
  );
}

function Rules({ shown, ...props }: RuleCalendarProps & { shown: readonly RuleWithApps[] }) {
  if (shown.length === 0) return <p class="soft">{t.none}</p>;
  return (
    <ul class="panel rows check-rows">
      {shown.map((one) => (
        <Rule key={one.rule.id} {...props} {...one} />
      ))}
    </ul>
  );
}

function Rule(props: RuleCalendarProps & RuleWithApps) {
  const { rule, apps } = props;
  const name = ruleName(rule);
  const day = ruleDay(rule);
  const isFailing = apps.some(({ result }) => result.state === 'failed');
  return (
    <li id={rule.id}>
      <Badge tone={rule.isMuted || apps.length === 0 ? 'plain' : isFailing ? 'danger' : 'warning'}>
        {rule.isMuted ? t.muted : t.apps({ count: apps.length })}
      </Badge>
      <span class="grow">
        <span class="line-1">
          <strong>
            {checkTexts.destinations[rule.destination]}: {name}
          </strong>
        </span>
        <span class="line-2">
          {day === null ? t.always : (props.isUpcoming ? t.from : t.since)({ day })} ·{' '}
          {rule.countries && <>{countryNames(rule.countries)} · </>}
          <RuleSource rule={rule} />
        </span>
        {rule.kind === 'developer_verification' && (
          <span class="line-2 fine">
            {rule.destination === 'google_play' ? t.registered.google_play : t.registered.private}
          </span>
        )}
        {apps.length > 0 && (
          <FoldedList
            style="points"
            rows={apps.map(({ app, revision, result }) => (
              <li key={app.id}>
                <a href={`${buildChecksPath(app, revision)}#${rule.id}`}>
                  <bdi>{appName(app)}</bdi> {appTexts.app.revision({ revision })}
                </a>{' '}
                <span class="soft">
                  {app.owner.name} · {texts.platforms[app.platform]}
                </span>{' '}
                {result.state === 'accepted' && <CheckStateBadge state="accepted" />}
                {result.items[0] !== undefined && (
                  <span class="line-2">
                    <bdi>{itemText(result.items[0])}</bdi>{' '}
                    {result.items.length > 1 && checkTexts.more({ count: result.items.length - 1 })}
                  </span>
                )}
              </li>
            ))}
          />
        )}
        {props.administers && <ChangeForm {...props} name={name} />}
      </span>
    </li>
  );
}

function ChangeForm(props: RuleCalendarProps & { rule: EffectiveRule; name: string }) {
  const { frame, rule } = props;
  const path = `${sitePaths.storeRules}/${rule.id}`;
  const refused = props.refused?.rule === rule.id ? props.refused : null;
  return (
    <details class="quiet-fold" open={refused !== null}>
      <summary aria-label={`${t.change}: ${props.name}`}>{t.change}</summary>
      <PostForm frame={frame} class="form" action={`${path}/save`}>
        <TextField
          id={`from-${rule.id}`}
          name="from"
          label={t.day}
          hint={rule.isAdded ? t.dayHint : t.originalHint}
          value={refused?.submitted.from ?? rule.from ?? ''}
          errors={refused?.errors.from}
          maxLength={10}
          short
        />
        <p class="choice">
          <input id={`muted-${rule.id}`} type="checkbox" name="muted" checked={rule.isMuted} />
          <label for={`muted-${rule.id}`}>{t.mute}</label>
        </p>
        <SubmitButton label={t.save} />
      </PostForm>
      {rule.isAdded && <Confirm frame={frame} action={`${path}/delete`} ask={t.remove} line={t.removeLine} />}
    </details>
  );
}

function AddForm({ frame, submitted = {}, errors = {} }: RuleCalendarProps) {
  const field = (id: 'threshold' | 'from' | 'source', label: string, hint?: string) => (
    <TextField
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={submitted[id] ?? ''}
      errors={errors[id]}
      maxLength={id === 'source' ? 500 : 10}
      short={id !== 'source'}
      required
    />
  );
  return (
    <div class="section panel">
      <SettingsSection id="add" title={t.add} line={t.addLine}>
        <PostForm frame={frame} class="form" action={`${sitePaths.storeRules}/add`}>
          <SelectField
            id="kind"
            label={t.kind}
            value={submitted.kind}
            options={addableKinds.map((kind) => [kind, t.kinds[kind]])}
          />
          {field('threshold', t.threshold)}
          {field('from', t.day, t.dayHint)}
          {field('source', t.sourceLabel, t.sourceHint)}
          <p class="actions">
            <SubmitButton label={t.add} tone="primary" />
          </p>
        </PostForm>
      </SettingsSection>
    </div>
  );
}
