import type { Owner } from '../../owners/owner.ts';
import { Choice, Field, FieldErrors, FormHead } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { availableScopes, maxKeyNameLength } from './issue-key.ts';
import { type KeyFormErrors, type KeyFormValues, keyLifetimes } from './key-request.ts';
import { keyTexts } from './key-texts.ts';

const words = keyTexts;

export interface CreateKeyFormProps {
  frame: PageFrame;
  /** The owner of the new key. */
  owner: Owner;
  address: string;
  typed: KeyFormValues;
  faults: KeyFormErrors;
}

export function CreateKeyForm({ frame, owner, address, typed, faults }: CreateKeyFormProps) {
  const chosen = typed.scope.split('\n');
  return (
    <form class="form" method="post" action={`${address}/create`}>
      <FormHead frame={frame} />
      <TextField
        id="name"
        label={words.name}
        hint={words.nameHint}
        value={typed.name}
        faults={faults.name}
        autocomplete="off"
        maxLength={maxKeyNameLength}
        required
      />
      <fieldset class="choices" aria-describedby={faults.scope ? 'scope-hint scope-faults' : 'scope-hint'}>
        <legend>{words.scopes}</legend>
        <p class="hint" id="scope-hint">
          {words.scopesHint}
        </p>
        {availableScopes(owner).map((scope) => (
          <Choice
            key={scope}
            type="checkbox"
            id={`scope-${scope}`}
            name="scope"
            value={scope}
            checked={chosen.includes(scope)}
            label={words.scope[scope]}
            hint={words.scopeHints[scope]}
          />
        ))}
        <FieldErrors id="scope" faults={faults.scope ?? []} />
      </fieldset>
      <Field
        id="restrict"
        label={words.restrict}
        hint={owner.kind === 'project' ? words.restrictHintOfProject(owner.name) : words.restrictHint}
        faults={faults.restrict}
        control={(marks) => (
          <textarea
            {...marks}
            name="restrict"
            rows={2}
            spellcheck={false}
            dir="auto"
            value={typed.restrict}
          />
        )}
      />
      <Field
        id="expires"
        label={words.expires}
        faults={faults.expires}
        control={(marks) => (
          <select {...marks} class="short" name="expires">
            {keyLifetimes.map((one) => (
              <option key={one} value={one} selected={one === typed.expires}>
                {words.choices[one]}
              </option>
            ))}
          </select>
        )}
      />
      <Field
        id="until"
        label={words.until}
        hint={words.untilHint}
        faults={faults.until}
        control={(marks) => <input {...marks} class="short" name="until" type="date" value={typed.until} />}
      />
      <p class="actions">
        <button class="button" type="submit">
          {words.createButton}
        </button>
      </p>
    </form>
  );
}
