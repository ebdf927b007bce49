/** Entry of `passkeys.js`: signs in with a passkey and adds one. Without it, forms that need it are hidden. */
import { findElements } from './elements.ts';
import { enablePasskeyForms } from './passkeys/passkey-forms.ts';

// Missing without HTTPS and in some browsers embedded in apps.
if (window.PublicKeyCredential && navigator.credentials && isSecureContext) {
  for (const part of findElements(document, '[data-needs-passkeys]', HTMLElement)) part.hidden = false;
  enablePasskeyForms(findElements(document, 'form[data-passkey]', HTMLFormElement));
}
