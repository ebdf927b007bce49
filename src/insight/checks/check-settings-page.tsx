import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { checkSettingsPath } from '../../apps/app-paths.ts';
import { appSettingsParts } from '../../apps/settings/app-settings-parts.ts';
import type { FieldErrors } from '../../core/errors.ts';
import {
  Choice,
  ChoiceGroup,
  ErrorSummary,
  Field,
  PostForm,
  SubmitButton,
} from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { leveledChecks, levels, maxBranchCharacters } from './check-settings.ts';
import { levelField, type SettingsValues, type TextFieldName } from './check-settings-form.ts';
import { checkTexts } from './check-texts.ts';
import { destinationsOf } from './store-rules.ts';

export interface CheckSettingsProps {
  frame: PageFrame;
  head: AppHead;
  values: SettingsValues;
  errors: FieldErrors;
  done: string | null;
}

const t = checkTexts.form;
const maxNumberCharacters = 20;

export function renderCheckSettings(props: CheckSettingsProps): string {
  const { frame, head, errors } = props;
  const labels: Partial<Record<TextFieldName, string>> = {
    'warn-bytes': t.warnBytes,
    'warn-percent': t.warnPercent,
    'fail-bytes': t.failBytes,
    'fail-percent': t.failPercent,
    'max-download': t.maxDownload,
    branch: t.branch,
    denied: t.denied,
    allowed: t.allowed,
  };
  return renderAppArea({
    frame,
    head,
    tab: 'settings',
    title: t.title,
    settings: appSettingsParts(head.app, 'checks'),
    done: props.done,
    children: (
      <>
        <ErrorSummary
          title={t.notSaved}
          line=""
          errors={Object.keys(errors).map((id) => ({ id, label: labels[id as TextFieldName] ?? id }))}
        />
        <PostForm frame={frame} action={`${checkSettingsPath(head.app)}/save`} data-guard="">
          <div class="panel">
            <Destinations {...props} />
            <Budgets {...props} />
            <Levels {...props} />
            <Libraries {...props} />
          </div>
          <p class="actions">
            <SubmitButton label={t.save} tone="primary" />
          </p>
        </PostForm>
      </>
    ),
  });
}

function Destinations({ head, values }: CheckSettingsProps) {
  const chosen = values.destination.split('\n');
  return (
    <SettingsSection id="where" title={t.where} line={t.whereLine}>
      <ChoiceGroup id="destination" legend={t.where}>
        {destinationsOf(head.app.platform).map((destination) => (
          <Choice
            key={destination}
            type="checkbox"
            id={`destination-${destination.replace('_', '-')}`}
            name="destination"
            value={destination}
            checked={chosen.includes(destination)}
            label={checkTexts.destinations[destination]}
            hint={checkTexts.destinationHints[destination]}
          />
        ))}
      </ChoiceGroup>
    </SettingsSection>
  );
}

function Budgets({ values, errors }: CheckSettingsProps) {
  const field = (id: TextFieldName, label: string, hint?: string) => (
    <TextField
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={values[id]}
      errors={errors[id]}
      maxLength={id === 'branch' ? maxBranchCharacters : maxNumberCharacters}
      short={id !== 'branch'}
    />
  );
  return (
    <SettingsSection id="budgets" title={t.budgets} line={t.budgetsLine}>
      <div class="form">
        {field('warn-bytes', t.warnBytes, t.sizeHint)}
        {field('warn-percent', t.warnPercent, t.percentHint)}
        {field('fail-bytes', t.failBytes)}
        {field('fail-percent', t.failPercent)}
        {field('max-download', t.maxDownload)}
        {field('branch', t.branch, t.branchHint)}
      </div>
    </SettingsSection>
  );
}

function Levels({ values }: CheckSettingsProps) {
  return (
    <SettingsSection id="levels" title={t.levels} line={t.levelsLine}>
      <div class="form">
        {leveledChecks.map((check) => {
          const name = levelField(check);
          return (
            <SelectField
              key={check}
              id={name}
              label={t.leveled[check]}
              value={values[name]}
              options={levels.map((level) => [level, t.level[level]])}
            />
          );
        })}
      </div>
    </SettingsSection>
  );
}

function Libraries({ values, errors }: CheckSettingsProps) {
  const field = (id: 'denied' | 'allowed', label: string, hint?: string) => (
    <Field
      id={id}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      errors={errors[id]}
      control={(attributes) => (
        <textarea {...attributes} name={id} rows={4} class="code-field" spellcheck={false}>
          {`\n${values[id]}`}
        </textarea>
      )}
    />
  );
  return (
    <SettingsSection id="libraries" title={t.libraries} line={t.librariesLine}>
      <div class="form">
        {field('denied', t.denied)}
        {field('allowed', t.allowed, t.allowedHint)}
      </div>
    </SettingsSection>
  );
}
