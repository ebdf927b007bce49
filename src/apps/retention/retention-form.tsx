/** The current rule with its source, and the form that changes it. */
import { maxDays, maxNewest, type RetentionPlace, type RetentionRule } from '../../owners/retention.ts';
import { retentionTexts } from '../../owners/retention-texts.ts';
import { Choice, FieldErrors } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { maxNumberLength, type RuleErrors, type RuleKind, type RuleValues } from './retention-request.ts';

export interface RetentionSubject {
  place: RetentionPlace;
  /** Path of the page. */
  address: string;
  owner: { kind: 'user' | 'project'; name: string } | null;
  /** Null without a Workspace. */
  workspaceName: string | null;
}

export interface EffectiveRule {
  rule: RetentionRule;
  from: RetentionPlace | null;
}

export interface RetentionFormProps {
  subject: RetentionSubject;
  inForce: EffectiveRule;
  /** The inherited rule. */
  otherwise: EffectiveRule;
  typed: RuleValues;
  faults: RuleErrors;
}

const words = retentionTexts;

/** Whether a rule can be inherited. */
export const canInherit = ({ place, workspaceName }: RetentionSubject) =>
  place === 'app' || (place === 'owner' && workspaceName !== null);

export function CurrentRule({ subject, inForce }: Pick<RetentionFormProps, 'subject' | 'inForce'>) {
  const { place } = subject;
  return (
    <section aria-labelledby="now">
      <h2 id="now">{words.now}</h2>
      <p class="lead-hint">
        <strong>{words.sentence(inForce.rule, place !== 'app')}</strong>{' '}
        <span class="secondary">{sourceOf(subject, inForce.from)}</span>
      </p>
      <ul class="points secondary">
        <li>{words.always}</li>
        <li>{words.undo}</li>
        {place !== 'app' && <li>{words.nearer[place]}</li>}
      </ul>
    </section>
  );
}

function sourceOf(subject: RetentionSubject, from: RetentionPlace | null): string {
  if (from === null) return words.from.none;
  if (from === 'app') return words.from.app;
  if (from === subject.place) return words.own[from];
  if (from === 'workspace') return words.from.workspace(subject.workspaceName ?? '');
  return subject.owner ? words.from.owner(subject.owner.kind, subject.owner.name) : words.from.none;
}

/** Previews with a GET request, so that previewing changes nothing. The preview can then be saved. */
export function RuleForm({ subject, otherwise, typed, faults }: RetentionFormProps) {
  const several = subject.place !== 'app';
  return (
    <section aria-labelledby="rule">
      <h2 id="rule">{words.rule}</h2>
      <form class="form" method="get" action={subject.address}>
        <fieldset class="choices" id="keep" aria-describedby={faults.keep ? 'keep-faults' : undefined}>
          <legend>{words.which}</legend>
          {choicesOf(subject).map(({ kind, label }) => (
            <Choice
              key={kind}
              type="radio"
              id={`keep-${kind}`}
              name="keep"
              value={kind}
              checked={typed.kind === kind}
              label={label}
              {...(kind === 'inherit' && canInherit(subject)
                ? { hint: words.sentence(otherwise.rule, several) }
                : {})}
            />
          ))}
          <FieldErrors id="keep" faults={faults.keep ?? []} />
        </fieldset>
        <TextField
          id="newest"
          label={words.newest}
          hint={words.newestHint(maxNewest, several)}
          value={typed.newest}
          faults={faults.newest}
          maxLength={maxNumberLength}
          short
          numeric
        />
        <TextField
          id="days"
          label={words.days}
          hint={words.daysHint(maxDays)}
          value={typed.days}
          faults={faults.days}
          maxLength={maxNumberLength}
          short
          numeric
        />
        <p class="actions">
          <button class="button button-small" type="submit">
            {words.show}
          </button>
        </p>
      </form>
    </section>
  );
}

function choicesOf(subject: RetentionSubject): { kind: RuleKind; label: string }[] {
  const { place, owner, workspaceName } = subject;
  const some = { kind: 'some', label: words.kinds.some } as const;
  if (!canInherit(subject)) return [{ kind: 'inherit', label: words.kinds.everything }, some];
  const label =
    place === 'app' && owner
      ? words.kinds.asOwner(owner.kind, owner.name)
      : words.kinds.asWorkspace(workspaceName ?? '');
  return [{ kind: 'inherit', label }, { kind: 'everything', label: words.kinds.everything }, some];
}
