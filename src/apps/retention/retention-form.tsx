/** The current rule with its source, and the form that changes it. */
import {
  describeRetention,
  maxDays,
  maxNewest,
  type RetentionPlace,
  type RetentionRule,
} from '../../owners/retention/retention.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';
import { Choice, ChoiceGroup, SubmitButton } from '../../web/components/form-field.tsx';
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
  submitted: RuleValues;
  errors: RuleErrors;
}

const t = retentionTexts;

/** Whether a rule can be inherited. */
export const canInherit = ({ place, workspaceName }: RetentionSubject) =>
  place === 'app' || (place === 'owner' && workspaceName !== null);

export function CurrentRule({ subject, inForce }: Pick<RetentionFormProps, 'subject' | 'inForce'>) {
  const { place } = subject;
  return (
    <section aria-labelledby="now">
      <h2 id="now">{t.now}</h2>
      <p class="lead-hint">
        <strong>{describeRetention(inForce.rule, place !== 'app')}</strong>{' '}
        <span class="secondary">{sourceOf(subject, inForce.from)}</span>
      </p>
      <ul class="points secondary">
        <li>{t.always}</li>
        <li>{t.undo}</li>
        {place !== 'app' && <li>{t.nearer[place]}</li>}
      </ul>
    </section>
  );
}

function sourceOf(subject: RetentionSubject, from: RetentionPlace | null): string {
  if (from === null) return t.from.none;
  if (from === 'app') return t.from.app;
  if (from === subject.place) return t.own[from];
  if (from === 'workspace') return t.from.workspace({ name: subject.workspaceName ?? '' });
  return subject.owner ? t.from[subject.owner.kind]({ name: subject.owner.name }) : t.from.none;
}

function KeptFields(props: Pick<RetentionFormProps, 'submitted' | 'errors'> & { several: boolean }) {
  const { several, submitted, errors } = props;
  return (
    <>
      <TextField
        id="newest"
        label={t.newest}
        hint={(several ? t.newestHintOfEach : t.newestHint)({ limit: maxNewest })}
        value={submitted.newest}
        errors={errors.newest}
        maxLength={maxNumberLength}
        short
        numeric
      />
      <TextField
        id="days"
        label={t.days}
        hint={t.daysHint({ limit: maxDays })}
        value={submitted.days}
        errors={errors.days}
        maxLength={maxNumberLength}
        short
        numeric
      />
    </>
  );
}

/** Previews with a GET request, which changes nothing. The preview can then be saved. */
export function RuleForm({ subject, otherwise, submitted, errors }: RetentionFormProps) {
  const several = subject.place !== 'app';
  return (
    <section aria-labelledby="rule">
      <h2 id="rule">{t.rule}</h2>
      <form class="form" method="get" action={`${subject.address}#goes`} data-guard="">
        <ChoiceGroup id="keep" legend={t.which} errors={errors.keep}>
          {choicesOf(subject).map(({ kind, label }) => (
            <Choice
              key={kind}
              type="radio"
              id={`keep-${kind}`}
              name="keep"
              value={kind}
              checked={submitted.kind === kind}
              label={label}
              {...(kind === 'inherit' && canInherit(subject)
                ? { hint: describeRetention(otherwise.rule, several) }
                : {})}
              isOpen={kind === 'some'}
            >
              {kind === 'some' && <KeptFields several={several} submitted={submitted} errors={errors} />}
            </Choice>
          ))}
        </ChoiceGroup>
        <p class="actions">
          <SubmitButton label={t.show} />
        </p>
      </form>
    </section>
  );
}

function choicesOf(subject: RetentionSubject): { kind: RuleKind; label: string }[] {
  const { place, owner, workspaceName } = subject;
  const some = { kind: 'some', label: t.kinds.some } as const;
  if (!canInherit(subject)) return [{ kind: 'inherit', label: t.kinds.everything }, some];
  const label =
    place === 'app' && owner
      ? (owner.kind === 'project' ? t.kinds.asProject : t.kinds.asUser)({ name: owner.name })
      : t.kinds.asWorkspace({ name: workspaceName ?? '' });
  return [{ kind: 'inherit', label }, { kind: 'everything', label: t.kinds.everything }, some];
}
