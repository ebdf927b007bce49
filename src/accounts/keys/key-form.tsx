import type { Owner } from '../../owners/owner.ts';
import { Choice, ChoiceGroup, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { NameField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { availableScopes, maxKeyNameLength } from './issue-key.ts';
import { type KeyFormErrors, type KeyFormValues, keyLifetimes } from './key-request.ts';
import type { ListedPlace } from './key-restriction.ts';
import { keyTexts } from './key-texts.ts';

const t = keyTexts;

export interface CreateKeyFormProps {
  frame: PageFrame;
  /** The owner of the new key. */
  owner: Owner;
  address: string;
  listed: readonly ListedPlace[];
  submitted: KeyFormValues;
  errors: KeyFormErrors;
}

export function CreateKeyForm({ frame, owner, address, listed, submitted, errors }: CreateKeyFormProps) {
  const chosen = submitted.scope.split('\n');
  return (
    <PostForm frame={frame} class="form" action={`${address}/create`}>
      <NameField
        label={t.name}
        hint={t.nameHint}
        value={submitted.name}
        errors={errors.name}
        maxLength={maxKeyNameLength}
      />
      <ChoiceGroup id="scope" legend={t.scopes} hint={t.scopesHint} errors={errors.scope}>
        {availableScopes(owner).map((scope) => (
          <Choice
            key={scope}
            type="checkbox"
            id={`scope-${scope}`}
            name="scope"
            value={scope}
            checked={chosen.includes(scope)}
            label={t.scope[scope]}
            hint={t.scopeHints[scope]}
          />
        ))}
      </ChoiceGroup>
      <Restriction owner={owner} listed={listed} submitted={submitted} errors={errors} />
      <SelectField
        id="expires"
        label={t.expires}
        errors={errors.expires}
        value={submitted.expires}
        options={keyLifetimes.map((one) => [one, t.choices[one]])}
        short
        reveals
      />
      <Field
        id="until"
        label={t.until}
        hint={t.untilHint}
        errors={errors.until}
        control={(attributes) => (
          <input {...attributes} class="short" name="until" type="date" value={submitted.until} />
        )}
      />
      <p class="actions">
        <SubmitButton label={t.createButton} tone="primary" />
      </p>
    </PostForm>
  );
}

/** Apps and owners to choose from, and a field for places that are not listed, such as an app that does not exist yet. */
function Restriction({
  owner,
  listed,
  submitted,
  errors,
}: Pick<CreateKeyFormProps, 'owner' | 'listed' | 'submitted' | 'errors'>) {
  const chosen = submitted.place.split('\n');
  return (
    <ChoiceGroup
      id="place"
      legend={t.restrict}
      hint={owner.kind === 'project' ? t.placeHintOfProject : t.placeHint}
    >
      <div class="choice-list">
        {listed.map((one, at) => (
          <Choice
            key={one.place}
            type="checkbox"
            id={`place-${at}`}
            name="place"
            value={one.place}
            checked={chosen.includes(one.place)}
            label={one.app ? (one.app.name ?? one.app.packageName) : one.owner}
            hint={hintOf(one, owner)}
          />
        ))}
      </div>
      <details class="quiet-fold" open={errors.restrict !== undefined || submitted.restrict !== ''}>
        <summary>{t.otherPlaces}</summary>
        <Field
          id="restrict"
          label={t.otherPlaces}
          hint={owner.kind === 'project' ? t.restrictHintOfProject({ project: owner.name }) : t.restrictHint}
          errors={errors.restrict}
          control={(attributes) => (
            <textarea
              {...attributes}
              name="restrict"
              rows={2}
              spellcheck={false}
              dir="auto"
              value={submitted.restrict}
            />
          )}
        />
      </details>
    </ChoiceGroup>
  );
}

function hintOf({ owner: name, app }: ListedPlace, owner: Owner): string {
  if (!app) return t.everythingOf;
  const platform = texts.platforms[app.platform === 'ios' ? 'ios' : 'android'];
  return [...(owner.name === name ? [] : [name]), platform, app.packageName].join(' · ');
}
