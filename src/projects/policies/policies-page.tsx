import type { FieldErrors } from '../../core/errors.ts';
import { snakeName } from '../../core/json-shapes.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspacePoliciesPath } from '../../owners/owner-paths.ts';
import { maxListEntries, type PolicyName, policies } from '../../owners/policies/policies.ts';
import { policyTexts } from '../../owners/policies/policy-texts.ts';
import { Choice, ChoiceGroup, Field, SubmitButton } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { renderWorkspaceArea } from '../workspaces/workspace-area.tsx';
import type { PolicyFields } from './policy-json.ts';

export interface PoliciesPageProps {
  frame: PageFrame;
  workspace: Workspace;
  submitted: PolicyFields;
  errors: FieldErrors;
  done: string | null;
}

const t = policyTexts;
const maxAmountLength = 8;

/** In the order of the page. */
const groups: Record<keyof typeof t.groups, readonly PolicyName[]> = {
  people: ['secondFactor', 'sessionHours', 'emailDomains'],
  access: ['networks', 'keyDays'],
  builds: ['pageAccess', 'retentionDays', 'trustedPublishersOnly'],
};

export function renderPolicies(props: PoliciesPageProps): string {
  const { frame, workspace } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'policies',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <form method="get" action={`${workspacePoliciesPath(workspace.name)}/review`} data-guard="">
        <div class="panel">
          {(Object.keys(groups) as (keyof typeof groups)[]).map((group) => (
            <SettingsSection key={group} id={group} title={t.groups[group]}>
              <div class="form">
                {groups[group].map((name) => (
                  <PolicyField key={name} name={name} {...props} />
                ))}
              </div>
            </SettingsSection>
          ))}
        </div>
        <p class="actions">
          <SubmitButton label={t.review} tone="primary" />
        </p>
      </form>
    ),
  });
}

function PolicyField({ name, submitted, errors }: PoliciesPageProps & { name: PolicyName }) {
  const id = snakeName(name);
  const policy = policies[name];
  const label = t.labels[name];
  const value = submitted[id] ?? '';
  switch (policy.kind) {
    case 'flag':
      return (
        <Choice type="checkbox" id={id} name={id} checked={value !== ''} label={label} hint={hintOf(name)} />
      );
    case 'amount':
      return (
        <TextField
          id={id}
          label={label}
          hint={hintOf(name)}
          value={value}
          errors={errors[id]}
          maxLength={maxAmountLength}
          short
          numeric
        />
      );
    case 'list':
      return (
        <Field
          id={id}
          label={label}
          hint={hintOf(name)}
          errors={errors[id]}
          control={(attributes) => (
            <textarea
              {...attributes}
              class="mono"
              name={id}
              rows={3}
              autocapitalize="none"
              spellcheck={false}
              value={value}
            >
              {value}
            </textarea>
          )}
        />
      );
    case 'choice':
      return (
        <ChoiceGroup id={id} legend={label} hint={hintOf(name)} errors={errors[id]}>
          {policy.choices.map((choice) => (
            <Choice
              key={choice}
              type="radio"
              id={`${id}-${choice}`}
              name={id}
              value={choice}
              checked={value === choice}
              label={t.floors[choice]}
              hint={t.floorHints[choice]}
            />
          ))}
        </ChoiceGroup>
      );
  }
}

function hintOf(name: PolicyName): string {
  const hint: string | ((values: { limit: number }) => string) = t.hints[name];
  if (typeof hint === 'string') return hint;
  const policy = policies[name];
  return hint({ limit: policy.kind === 'amount' ? policy.max : maxListEntries });
}
