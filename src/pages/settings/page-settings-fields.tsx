import { Choice, Field, FieldErrors } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
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
  typed: SettingsValues;
  faults: SettingsErrors;
  /** Installs counted towards the limit. */
  installs: number;
  hasPasscode: boolean;
}

const words = pageSettingsTexts;

export function NameField(props: { value: string; faults: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="name"
      label={words.name}
      hint={props.hint}
      faults={props.faults}
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
  faults: readonly string[] | undefined;
}) {
  const { value, choices } = props;
  const isListed = choices.builds.some(({ revision }) => String(revision) === value);
  return (
    <>
      <BuildSelect {...props} faults={choices.more ? undefined : props.faults} />
      {choices.more && (
        <Field
          id="other-revision"
          label={words.otherRevision}
          hint={words.otherRevisionHint}
          faults={props.faults}
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

function BuildSelect(props: { value: string; choices: BuildChoices; faults: readonly string[] | undefined }) {
  return (
    <Field
      id="build"
      label={words.build}
      hint={words.buildHint}
      faults={props.faults}
      control={(marks) => (
        <select {...marks} name="revision">
          {props.choices.builds.map(({ revision, version, extra }) => (
            <option key={revision} value={String(revision)} selected={String(revision) === props.value}>
              {words.buildOption(revision, version, extra)}
            </option>
          ))}
        </select>
      )}
    />
  );
}

export function NoteField(props: { value: string; faults: readonly string[] | undefined; hint: string }) {
  return (
    <Field
      id="note"
      label={words.note}
      hint={props.hint}
      faults={props.faults}
      control={(marks) => (
        <textarea {...marks} name="note" rows={6} dir="auto" value={props.value}>
          {props.value}
        </textarea>
      )}
    />
  );
}

/** Access fields: open or closed, kind of access, passcode and networks. */
export function AccessFields({ typed, faults, hasPasscode }: FieldsProps) {
  return (
    <fieldset>
      <legend>{words.groups.who}</legend>
      <Choice
        type="checkbox"
        id="active"
        name="active"
        checked={typed.active}
        label={words.active}
        hint={words.activeHint}
      />
      <fieldset class="choices" id="access" aria-describedby={faults.access ? 'access-faults' : undefined}>
        <legend>{words.access}</legend>
        {pageAccessKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`access-${kind}`}
            name="access"
            value={kind}
            checked={typed.access === kind}
            label={words.accessKinds[kind]}
            hint={words.accessHints[kind]}
          />
        ))}
        <FieldErrors id="access" faults={faults.access ?? []} />
      </fieldset>
      <Field
        id="passcode"
        label={hasPasscode ? words.passcodeNew : words.passcode}
        hint={hasPasscode ? words.passcodeKept : words.passcodeHint(minimumPasscodeLength)}
        faults={faults.passcode}
        control={(marks) => (
          <input
            {...marks}
            class="short"
            name="passcode"
            type="text"
            value={typed.passcode}
            maxLength={maxPasscodeLength}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
      />
      <Field
        id="networks"
        label={words.networks}
        hint={words.networksHint(maxNetworks)}
        faults={faults.networks}
        control={(marks) => (
          <textarea
            {...marks}
            class="code"
            name="networks"
            rows={3}
            autocapitalize="none"
            spellcheck={false}
            value={typed.networks}
          >
            {typed.networks}
          </textarea>
        )}
      />
    </fieldset>
  );
}

/** Expiry and install limit. */
export function LimitFields({ typed, faults, installs }: FieldsProps) {
  return (
    <fieldset>
      <legend>{words.groups.until}</legend>
      <Field
        id="expires"
        label={words.expires}
        hint={words.expiresHint}
        faults={faults.expires}
        control={(marks) => (
          <input {...marks} class="short" name="expires" type="datetime-local" value={typed.expires} />
        )}
      />
      <div>
        <Field
          id="installs"
          label={words.installs}
          hint={`${words.installsHint} ${words.installsCounted(installs, formatCount(installs))}`}
          faults={faults.installs}
          control={(marks) => (
            <input
              {...marks}
              class="short"
              name="installs"
              type="text"
              inputMode="numeric"
              value={typed.installs}
              maxLength={9}
              autocomplete="off"
            />
          )}
        />
        {installs > 0 && (
          <Choice type="checkbox" id="recount" name="recount" checked={typed.recount} label={words.recount} />
        )}
      </div>
    </fieldset>
  );
}
