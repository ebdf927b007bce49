import type { ComponentChildren } from 'preact';
import type { Group } from '../../owners/group.ts';
import { Choice, Field, FieldErrors } from '../../web/components/form-field.tsx';
import {
  maxDistributionNameLength,
  maxNetworks,
  maxPasscodeLength,
  minimumPasscodeLength,
  pageAccessKinds,
} from '../distribution-page.ts';
import type { SettingsErrors, SettingsValues } from './page-settings.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

/** Available builds, newest first, including the live one. */
export interface BuildChoices {
  builds: readonly BuildChoice[];
  /** Whether the app has more builds. */
  more: boolean;
}

/** A build that can be published on the page. */
export interface BuildChoice {
  revision: number;
  version: string;
  /** Label or branch, if any. */
  extra: string;
}

export interface FieldsProps {
  submitted: SettingsValues;
  errors: SettingsErrors;
  /** Installs counted towards the limit. */
  installs: number;
  hasPasscode: boolean;
  /** The groups of the owner of the app. */
  groups: readonly Group[];
  /** Null for viewers who cannot manage groups. */
  groupsAddress: string | null;
}

const t = pageSettingsTexts;

export function NameField(props: { value: string; errors: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="name"
      label={t.name}
      hint={props.hint}
      errors={props.errors}
      missing={t.errors.nameMissing}
      control={(marks) => (
        <input
          {...marks}
          name="name"
          type="text"
          value={props.value}
          maxLength={maxDistributionNameLength * 2}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          dir="auto"
          required
        />
      )}
    />
  );
}

/** The newest builds to choose from and, if there are more, a field for the revision of any other. */
export function BuildField(props: {
  value: string;
  choices: BuildChoices;
  errors: readonly string[] | undefined;
}) {
  const { value, choices } = props;
  const isListed = choices.builds.some(({ revision }) => String(revision) === value);
  return (
    <>
      <BuildSelect {...props} errors={choices.more ? undefined : props.errors} />
      {choices.more && (
        <Field
          id="other-revision"
          label={t.otherRevision}
          hint={t.otherRevisionHint}
          errors={props.errors}
          control={(marks) => (
            <input
              {...marks}
              class="short"
              name="other-revision"
              type="text"
              inputMode="numeric"
              value={isListed ? '' : value}
              maxLength={16}
              autocomplete="off"
            />
          )}
        />
      )}
    </>
  );
}

function BuildSelect(props: { value: string; choices: BuildChoices; errors: readonly string[] | undefined }) {
  return (
    <Field
      id="build"
      label={t.build}
      hint={t.buildHint}
      errors={props.errors}
      control={(marks) => (
        <select {...marks} name="revision">
          {props.choices.builds.map(({ revision, version, extra }) => (
            <option key={revision} value={String(revision)} selected={String(revision) === props.value}>
              {t.buildOption({ revision, version })}
              {extra && ` · ${extra}`}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function NoteField(props: { value: string; errors: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="note"
      label={t.note}
      hint={props.hint}
      errors={props.errors}
      control={(marks) => (
        <textarea {...marks} name="note" rows={6} dir="auto" value={props.value}>
          {props.value}
        </textarea>
      )}
    />
  );
}

/** Access fields: open or closed, kind of access, passcode and networks. */
export function AccessFields(props: FieldsProps) {
  const { submitted, errors, hasPasscode } = props;
  return (
    <FormSection title={t.groups.who}>
      <Choice
        type="checkbox"
        id="active"
        name="active"
        checked={submitted.active}
        label={t.active}
        hint={t.activeHint}
      />
      <fieldset class="choices" id="access" aria-describedby={errors.access ? 'access-errors' : undefined}>
        <legend>{t.access}</legend>
        {pageAccessKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`access-${kind}`}
            name="access"
            value={kind}
            checked={submitted.access === kind}
            label={t.accessKinds[kind]}
            hint={t.accessHints[kind]}
          >
            {kind === 'passcode' && (
              <PasscodeField submitted={submitted} errors={errors} hasPasscode={hasPasscode} />
            )}
            {kind === 'groups' && <GroupFields {...props} />}
          </Choice>
        ))}
        <FieldErrors id="access" errors={errors.access ?? []} />
      </fieldset>
      <Choice
        type="checkbox"
        id="limits-networks"
        name="limits-networks"
        checked={submitted.limitsNetworks}
        label={t.limitsNetworks}
      >
        <Field
          id="networks"
          label={t.networks}
          hint={t.networksHint({ limit: maxNetworks })}
          errors={errors.networks}
          control={(marks) => (
            <textarea
              {...marks}
              class="mono"
              name="networks"
              rows={3}
              autocapitalize="none"
              spellcheck={false}
              value={submitted.networks}
            >
              {submitted.networks}
            </textarea>
          )}
        />
      </Choice>
    </FormSection>
  );
}

function PasscodeField({
  submitted,
  errors,
  hasPasscode,
}: Pick<FieldsProps, 'submitted' | 'errors' | 'hasPasscode'>) {
  return (
    <Field
      id="passcode"
      label={hasPasscode ? t.passcodeNew : t.passcode}
      hint={hasPasscode ? t.passcodeKept : t.passcodeHint({ minimum: minimumPasscodeLength })}
      errors={errors.passcode}
      control={(marks) => (
        <input
          {...marks}
          class="short"
          name="passcode"
          type="text"
          value={submitted.passcode}
          maxLength={maxPasscodeLength}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    />
  );
}

function GroupFields({ submitted, errors, groups, groupsAddress }: FieldsProps) {
  return (
    <fieldset class="choices" id="groups" aria-describedby={errors.groups ? 'groups-errors' : undefined}>
      <legend>{t.groupsLabel}</legend>
      {groups.map(({ id, name, people }) => (
        <Choice
          key={id}
          type="checkbox"
          id={`group-${id}`}
          name="groups"
          value={id}
          checked={submitted.groups.includes(id)}
          label={name}
          hint={t.groupPeople({ count: people })}
        />
      ))}
      <p class="hint">
        {groups.length === 0 && `${t.noGroups} `}
        {groupsAddress && <a href={groupsAddress}>{t.manageGroups}</a>}
      </p>
      <FieldErrors id="groups" errors={errors.groups ?? []} />
    </fieldset>
  );
}

/** A part of a form with its title beside it. */
export function FormSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="form-section">
      <h3>{title}</h3>
      <div class="form">{children}</div>
    </section>
  );
}
