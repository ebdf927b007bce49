// Signing in with a passkey and adding one; the forms that need this file are hidden without it.
const forms = [...document.querySelectorAll('[data-passkey]')];
/** What goes on in the field for the name; ends when a button is pressed, as the browser does one thing at a time. */
let inField = new AbortController();

if (window.PublicKeyCredential && navigator.credentials && isSecureContext) {
  for (const part of document.querySelectorAll('[data-needs-passkeys]')) part.hidden = false;
  for (const form of forms) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      pressed(form);
    });
  }
  const form = forms.find(({ dataset }) => 'inField' in dataset);
  if (form) offerInField(form);
}

async function pressed(form) {
  const button = form.querySelector('button[type=submit]');
  if (button.disabled) return;
  button.disabled = true;
  say(form, '');
  inField.abort();
  try {
    await send(form, await ask(form), {});
  } catch (error) {
    say(form, reason(form, error));
    button.disabled = false;
  }
}

/** A challenge is good for ten minutes, and a page may stay open for a day. */
async function offerInField(form) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  for (;;) {
    inField = new AbortController();
    const { signal } = inField;
    const renewal = new AbortController();
    const timer = setTimeout(() => renewal.abort(), 8 * 60_000);
    signal.addEventListener('abort', () => renewal.abort());
    try {
      await send(form, await ask(form), { mediation: 'conditional', signal: renewal.signal });
      return;
    } catch {
      if (signal.aborted || !renewal.signal.aborted) return;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What the authenticator is to do, and the ticket that goes with its answer. */
async function ask(form) {
  if (form.dataset.asked) return JSON.parse(form.dataset.asked);
  return (await post(form, form.dataset.options)).json();
}

async function post(form, address) {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams(new FormData(form)),
  });
  if (!answer.ok) throw new Refused((await answer.json()).message);
  return answer;
}

async function send(form, { publicKey, ticket }, options) {
  const credential =
    form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: creationOptions(publicKey) })
      : await navigator.credentials.get({ ...options, publicKey: requestOptions(publicKey) });
  form.elements.ticket.value = ticket;
  form.elements.credential.value = JSON.stringify(credentialJson(credential));
  const { submits } = form.dataset;
  if (submits) await post(form, form.action);
  (submits ? document.getElementById(submits) : form).submit();
}

class Refused extends Error {}

function reason(form, error) {
  const { dismissed, failed, known } = form.dataset;
  if (error instanceof Refused) return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`;
  if (error.name === 'InvalidStateError') return known;
  return error.name === 'NotAllowedError' || error.name === 'AbortError' ? dismissed : failed;
}

function say(form, words) {
  form.querySelector('[role=alert]').textContent = words && (words.endsWith('.') ? words : `${words}.`);
}

// What browsers before 2025 do not have: WebAuthn Level 3, sections 5.1.8 and 5.1.9.

function creationOptions(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) {
    return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  }
  return {
    ...json,
    challenge: bytes(json.challenge),
    user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: json.excludeCredentials.map((one) => ({ ...one, id: bytes(one.id) })),
  };
}

function requestOptions(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) {
    return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  }
  return {
    ...json,
    challenge: bytes(json.challenge),
    allowCredentials: json.allowCredentials.map((one) => ({ ...one, id: bytes(one.id) })),
  };
}

/** By hand, because password managers that stand in for the browser leave `toJSON` out. */
function credentialJson(credential) {
  const { response } = credential;
  const json = { clientDataJSON: text(response.clientDataJSON) };
  for (const name of ['attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    if (response[name]) json[name] = text(response[name]);
  }
  if (response.getTransports) json.transports = response.getTransports();
  const { id, type } = credential;
  return { id, rawId: text(credential.rawId), type, response: json, clientExtensionResults: {} };
}

function bytes(base64url) {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function text(buffer) {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
