/** Entry of `passkeys.js`: signing in with a passkey and adding one. Forms that need it are hidden without it. */
import { findElements } from './elements.ts';
import { enablePasskeyForms } from './passkeys/passkey-forms.ts';

// Missing without HTTPS and in some browsers embedded in apps.
if (window.PublicKeyCredential && navigator.credentials && isSecureContext) {
  for (const part of findElements(document, '[data-needs-passkeys]', HTMLElement)) part.hidden = false;
  enablePasskeyForms(findElements(document, 'form[data-passkey]', HTMLFormElement));
}
