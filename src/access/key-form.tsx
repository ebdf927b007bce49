import { accountTexts } from '../web/account-texts.ts';
import { Field, FormHead } from '../web/form-field.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { TextField } from '../web/text-field.tsx';
import { maxKeyNameLength } from './issue-key.ts';
import { type KeyFaults, keyLifetimes, type TypedKey } from './key-request.ts';

const words = accountTexts.keys;

export interface MakeKeyFormProps {
  frame: PageFrame;
  address: string;
  typed: TypedKey;
  faults: KeyFaults;
}

export function MakeKeyForm({ frame, address, typed, faults }: MakeKeyFormProps) {
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
          {words.makeButton}
        </button>
      </p>
    </form>
  );
}
