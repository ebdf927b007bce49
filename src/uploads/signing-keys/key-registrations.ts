/** Android developer verification: which keys that sign the APKs of an app are registered with Google, and the proof for it. */
import type { App } from '../../apps/app.ts';
import { buildFilterQueries } from '../../apps/builds/build-filter-queries.ts';
import { invalidField, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { keyRegistrationQueries } from '../../owners/signing-keys/key-registration-queries.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import type { SigningKeys } from '../../owners/signing-keys/signing-keys.ts';
import { certificateFacts } from '../../packages/certificate/certificate.ts';

export interface AppKey {
  number: number;
  /** Whether it signs new builds. */
  isCurrent: boolean;
  /** Lowercase hexadecimal, of the certificate. */
  sha256: string;
  subject: string;
  /** Null unless it is registered. */
  registeredAt: number | null;
  /** Revision of the newest build of the app that it signed; null without one. */
  newestRevision: number | null;
}

export interface KeyRegistrations {
  /** The current key, and others that signed builds of the app or are registered for it; newest first. */
  keysOf(app: App): Promise<AppKey[]>;
  /** Throws `NotFound` for an unknown number. */
  keyOf(app: App, number: number): Promise<AppKey>;
  /** Records whether the key is registered for the app. Throws `NotFound` for an unknown number. */
  setRegistered(by: Actor, app: App, number: number, registered: boolean): Promise<AppKey>;
  /** Returns an APK that proves possession of the key. Throws `invalid`, `NotFound` and `LostSigningKey`. */
  createProof(by: Actor, app: App, proof: { number: number; token: string }): Promise<Buffer>;
}

/** Tokens of the console have 26 characters; the limit only bounds the file. */
export const maxTokenLength = 1_000;
const tokenPattern = /^[!-~]+$/;

export function createKeyRegistrations(deps: {
  data: Data;
  signingKeys: SigningKeys;
  now: () => number;
}): KeyRegistrations {
  const { data, signingKeys, now } = deps;
  const allKeysOf = async (app: App): Promise<AppKey[]> => {
    if (app.platform !== 'android') throw new NotFound();
    const keys = await signingKeys.list(app.owner.id);
    const registrations = await keyRegistrationQueries(data).listOfApp(app.id);
    const { signer } = await buildFilterQueries(data).filterValues(app.id);
    return keys
      .map(({ number, certificate }) => {
        const { sha256, subject } = certificateFacts(certificate);
        return {
          number,
          isCurrent: number === keys.at(-1)?.number,
          sha256,
          subject,
          registeredAt: registrations.find((one) => one.sha256 === sha256)?.registeredAt ?? null,
          newestRevision: signer.find(({ value }) => value === sha256)?.newest ?? null,
        };
      })
      .toReversed();
  };
  const findKey = async (app: App, number: number) => {
    const key = (await allKeysOf(app)).find((one) => one.number === number);
    if (!key) throw new NotFound();
    return key;
  };
  const record = (tx: Connection, by: Actor, app: App, action: string, { sha256 }: AppKey) =>
    auditQueries(tx).record({
      at: now(),
      actor: by,
      action,
      ownerId: app.owner.id,
      subject: `${app.packageName} (${app.platform})`,
      details: { app: app.id, sha256 },
    });
  return {
    keysOf: async (app) =>
      (await allKeysOf(app)).filter(
        ({ isCurrent, registeredAt, newestRevision }) =>
          isCurrent || registeredAt !== null || newestRevision !== null,
      ),
    keyOf: findKey,
    setRegistered: async (by, app, number, registered) => {
      const key = await findKey(app, number);
      const { sha256 } = key;
      const registeredAt = now();
      const isChanged = await data.transaction(async (tx) => {
        const queries = keyRegistrationQueries(tx);
        const done = registered
          ? await queries.register(app.id, { sha256, registeredAt })
          : await queries.unregister(app.id, sha256);
        const action = registered ? 'signing-key.registered' : 'signing-key.unregistered';
        if (done) await record(tx, by, app, action, key);
        return done;
      });
      const known = registered && !isChanged ? key.registeredAt : registeredAt;
      return { ...key, registeredAt: registered ? known : null };
    },
    createProof: async (by, app, { number, token: submitted }) => {
      const token = submitted.trim();
      if (token.length > maxTokenLength || !tokenPattern.test(token))
        throw invalidField('token', signingKeyTexts.verification.errors.token);
      const key = await findKey(app, number);
      const encoded = (await signingKeys.keysUpTo(app.owner.id, number))?.at(-1);
      if (!encoded) throw new NotFound();
      const [{ decodeSigningKey }, { writeProofApk }] = await Promise.all([
        import('../../packages/apk/signing/signing-key.ts'),
        import('../../packages/write-proof-apk.ts'),
      ]);
      const apk = await writeProofApk(app.packageName, token, decodeSigningKey(encoded));
      await data.transaction((tx) => record(tx, by, app, 'signing-key.proof-created', key));
      return apk;
    },
  };
}

/** Formats `AB:CD:…`, as keytool prints it and the console expects it. */
export const fingerprintOf = (sha256: string) => (sha256.toUpperCase().match(/../g) ?? []).join(':');
