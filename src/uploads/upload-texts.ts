import { catalog } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const uploadTexts = catalog({ en, ja });

/** Returns the texts of the script, which fills in the placeholders. */
export function scriptTexts() {
  const { script } = uploadTexts;
  return {
    ...script,
    ready: script.ready({ size: '{size}' }),
    sending: script.sending({ sent: '{sent}', size: '{size}' }),
    rate: script.rate({ rate: '{rate}' }),
    left: script.left({ time: '{time}' }),
    continued: script.continued({ sent: '{sent}' }),
    unfinished: script.unfinished({ sent: '{sent}', size: '{size}' }),
    tooLarge: script.tooLarge({ limit: '{limit}' }),
    wrongKind: script.wrongKind({ kinds: '{kinds}' }),
    revision: script.revision({ revision: '{revision}' }),
    said: script.said({ name: '{name}', percent: '{percent}', left: '{left}' }),
    saidDone: script.saidDone({ name: '{name}', revision: '{revision}' }),
    saidStopped: script.saidStopped({ name: '{name}', why: '{why}' }),
    actionOf: script.actionOf({ what: '{what}', name: '{name}' }),
  };
}
