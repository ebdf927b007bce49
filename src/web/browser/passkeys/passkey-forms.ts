import { requireData, requireElement } from '../elements.ts';
import { messageOf } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { type Ceremony, creationOptions, readCeremony, requestOptions } from './ceremony.ts';
import { encodeCredential, isPasskeyCredential, type PasskeyCredential } from './credential-json.ts';

/** A challenge is valid for ten minutes, but a page may stay open for a day. */
const challengeRenewalMs = 8 * 60_000;

/** Shows the forms and submits them with the authenticator's response. */
export function enablePasskeyForms(forms: readonly HTMLFormElement[]): void {
  /** Controls autofill in the name field, which is canceled when a button is pressed, because a browser runs one ceremony at a time. */
  let autofill = new AbortController();

  for (const form of forms) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit(form);
    });
  }
  const offering = forms.find(({ dataset }) => dataset.inField !== undefined);
  if (offering) void offerAutofill(offering);

  async function submit(form: HTMLFormElement): Promise<void> {
    const button = requireElement(form, 'button[type=submit]', HTMLButtonElement);
    if (button.disabled) return;
    button.disabled = true;
    report(form, '');
    autofill.abort();
    try {
      await complete(form, await begin(form), {});
    } catch (error) {
      report(form, explain(form, error));
      button.disabled = false;
    }
  }

  async function offerAutofill(form: HTMLFormElement): Promise<void> {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    for (;;) {
      autofill = new AbortController();
      const { signal } = autofill;
      const renewal = new AbortController();
      const timer = setTimeout(() => renewal.abort(), challengeRenewalMs);
      signal.addEventListener('abort', () => renewal.abort());
      try {
        await complete(form, await begin(form), { mediation: 'conditional', signal: renewal.signal });
        return;
      } catch {
        if (signal.aborted || !renewal.signal.aborted) return;
      } finally {
        clearTimeout(timer);
      }
    }
  }
}

/** Fetches the options of a ceremony. Throws `Refusal` if the server refuses. */
async function begin(form: HTMLFormElement): Promise<Ceremony> {
  const { asked } = form.dataset;
  if (asked) return readCeremony(JSON.parse(asked));
  const answer = await post(form, requireData(form, 'options'));
  return readCeremony(await answer.json());
}

/** Runs the ceremony and submits the response. */
async function complete(
  form: HTMLFormElement,
  ceremony: Ceremony,
  options: Pick<CredentialRequestOptions, 'mediation' | 'signal'>,
): Promise<void> {
  const credential = await requestCredential(form, ceremony, options);
  setField(form, 'ticket', ceremony.ticket);
  setField(form, 'credential', JSON.stringify(encodeCredential(credential)));
  const { submits } = form.dataset;
  if (submits === undefined) return form.submit();
  await post(form, form.action);
  requireElement(document, `form#${CSS.escape(submits)}`, HTMLFormElement).submit();
}

async function requestCredential(
  form: HTMLFormElement,
  { publicKey }: Ceremony,
  options: Pick<CredentialRequestOptions, 'mediation' | 'signal'>,
): Promise<PasskeyCredential> {
  const credential: unknown =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: creationOptions(publicKey) })
      : await navigator.credentials.get({ ...options, publicKey: requestOptions(publicKey) });
  if (!isPasskeyCredential(credential)) throw new Error('the authenticator gave no passkey');
  return credential;
}

async function post(form: HTMLFormElement, address: string): Promise<Response> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') body.append(name, value);
  }
  const answer = await fetch(address, { method: 'POST', headers: { Accept: 'application/json' }, body });
  if (!answer.ok) throw new Refusal(messageOf(await answer.json()) ?? '');
  return answer;
}

function setField(form: HTMLFormElement, name: string, value: string): void {
  requireElement(form, `input[name=${name}]`, HTMLInputElement).value = value;
}

function explain(form: HTMLFormElement, error: unknown): string {
  if (error instanceof Refusal && error.message !== '') return sentence(error.message);
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return requireData(form, 'known');
  const dismissed = name === 'NotAllowedError' || name === 'AbortError';
  return requireData(form, dismissed ? 'dismissed' : 'failed');
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
}

function report(form: HTMLFormElement, text: string): void {
  const complete = text === '' || text.endsWith('.') ? text : `${text}.`;
  requireElement(form, '[role=alert]', HTMLElement).textContent = complete;
}
