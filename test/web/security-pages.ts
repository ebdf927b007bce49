/** The second-factor pages, with all their fields filled through `text`. */
import { renderAddPasskeyPage } from '../../src/accounts/passkeys/add-passkey-page.tsx';
import {
  type ConfirmAccessProps,
  renderConfirmAccess,
} from '../../src/accounts/reauthentication/confirm-access-page.tsx';
import {
  renderPasskeyRefusedPage,
  renderSecondFactorPage,
} from '../../src/accounts/second-factor/second-factor-page.tsx';
import { renderSecurityAppPage } from '../../src/accounts/second-factor/security-app-page.tsx';
import { renderSecurityPage } from '../../src/accounts/second-factor/security-page.tsx';
import type { SecurityPageProps } from '../../src/accounts/second-factor/security-page-props.ts';
import { makeFrame, now, type TextOf } from './hostile.ts';

export function securityPages(text: TextOf): Record<string, string> {
  return { ...ownPages(text), ...stepPages(text), ...confirmPages(text) };
}

function ownPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const passkey = {
    id: text('p1'),
    credentialId: text('c1'),
    transports: [text('usb')],
    name: text('Laptop'),
    createdAt: now,
    lastUsedAt: now,
  };
  const full: SecurityPageProps = {
    frame,
    factors: { app: true, passkeys: 2, recoveryCodes: 2, any: true },
    passkeys: [passkey, { ...passkey, id: text('p2'), lastUsedAt: null }],
    supportsPasskeys: true,
    suggestedName: text('Firefox, Linux'),
    required: false,
    to: text('/docs'),
    continueTo: text('/docs'),
    done: text('Done.'),
    codes: [text('0000-1111-2222-3333')],
    error: { form: null, passkey: passkey.id, sentence: text('No.') },
  };
  const refused = (form: 'add-passkey' | 'rename-passkey' | null) => ({
    form,
    passkey: passkey.id,
    sentence: text('No.'),
  });
  const factors = { app: false, passkeys: 0, recoveryCodes: 0, any: false };
  const empty = { ...full, factors, passkeys: [], codes: null, continueTo: null, done: null };
  const app = {
    frame,
    secret: new Uint8Array(20),
    pending: text('pending'),
    account: text('mina (x)'),
    required: false,
    to: text('/docs'),
    errors: { code: [text('No.')] },
  };
  return {
    security: renderSecurityPage(full),
    'security with a name refused': renderSecurityPage({ ...full, error: refused('rename-passkey') }),
    'security with something refused': renderSecurityPage({ ...full, error: refused(null) }),
    'security of nothing': renderSecurityPage({ ...empty, supportsPasskeys: false, error: null }),
    'security that is required': renderSecurityPage({
      ...empty,
      required: true,
      error: refused('add-passkey'),
    }),
    'app for codes': renderSecurityAppPage(app),
    'app for codes that is required': renderSecurityAppPage({ ...app, required: true, errors: {} }),
  };
}

function confirmPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const every: ConfirmAccessProps = {
    frame,
    userName: text('mina'),
    action: text('/settings/keys/create'),
    fields: [[text('name'), text('CI')]],
    ways: { password: true, code: true, passkey: true },
    provider: { name: text('Example'), path: text('/sign-in/sso/confirm-access') },
    back: text('/settings/keys'),
    wrong: true,
  };
  const ways = { password: false, code: false, passkey: false };
  const asked = { publicKey: { challenge: text('challenge') }, ticket: text('ticket') };
  return {
    'confirm access': renderConfirmAccess(every),
    'confirm access with a code': renderConfirmAccess({ ...every, ways: { ...ways, code: true } }),
    'confirm access with a passkey alone': renderConfirmAccess({
      ...every,
      provider: null,
      wrong: false,
      ways: { ...ways, passkey: true },
    }),
    'confirm access at the provider alone': renderConfirmAccess({ ...every, ways }),
    'confirm access with nothing': renderConfirmAccess({ ...every, ways, provider: null }),
    'add a passkey': renderAddPasskeyPage({ frame, name: text('Laptop'), asked, to: text('/docs') }),
  };
}

function stepPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text, false);
  const step = { frame, name: text('mina'), to: text('/docs'), app: true, passkey: true };
  const error = { form: 'code' as const, sentence: text('No.') };
  return {
    'second step': renderSecondFactorPage({ ...step, error }),
    'second step with a passkey alone': renderSecondFactorPage({ ...step, app: false, error: null }),
    'second step with recovery codes alone': renderSecondFactorPage({
      ...step,
      app: false,
      passkey: false,
      error: { ...error, form: 'recovery' },
    }),
    'passkey that was refused': renderPasskeyRefusedPage({ frame, to: text('/docs'), why: text('no') }),
  };
}
