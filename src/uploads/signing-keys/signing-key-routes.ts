import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { maxPasswordLength } from '../../accounts/passwords/password.ts';
import { findingText } from '../../apps/findings/finding-texts.ts';
import { receiveFileForm } from '../../blobs/file-form-http.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { invalid, toSentence } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { content, html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { contentDisposition } from '../../http/sending/send-blob.ts';
import { signingKeysPath } from '../../owners/owner-paths.ts';
import { keyRegistrationQueries } from '../../owners/signing-keys/key-registration-queries.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import {
  confirmationField,
  minimumKeystorePasswordLength,
  type SigningKeys,
} from '../../owners/signing-keys/signing-keys.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { maxKeystoreBytes } from '../../packages/package-task.ts';
import type { OwnerAccess, OwnerSubject } from '../../projects/owner-access-http.ts';
import { renderSigningKeys, type SigningKeyPageProps } from './signing-key-page.tsx';

export interface SigningKeyRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  signingKeys: SigningKeys;
  spool: Spool;
  packages: Pick<PackageReader, 'readKeystore'>;
}

type KeysContext = RouteContext<Person, OwnerSubject>;

const t = signingKeyTexts;
const importFields = ['password', 'key_password', 'alias', 'continues', confirmationField] as const;
/** Limited because reading a keystore and creating a key take seconds of processor time. */
export const signingKeyRateLimit = {
  name: 'signing keys',
  limit: 30,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'signingKeys',
} as const;

/** Only for owners of a Project, and for users and their own apps, because anyone with a key can sign updates. */
export function signingKeyRoutes({
  data,
  ownerAccess,
  signingKeys,
  spool,
  packages,
}: SigningKeyRouteDeps): Route[] {
  const places = [
    { kind: 'project', base: '/organizations/:owner/settings/signing-keys', whose: 'a Project' },
    { kind: 'user', base: '/users/:owner/settings/signing-keys', whose: 'an account' },
  ] as const;
  const render = async (
    { subject: { owner, permissions }, frame }: KeysContext,
    shown: Partial<SigningKeyPageProps> = {},
  ) =>
    renderSigningKeys({
      frame,
      owner,
      permissions,
      keys: await signingKeys.list(owner.id),
      registrations: await keyRegistrationQueries(data).listOfOwner(owner.id),
      done: null,
      ...shown,
    });
  const done = ({ subject: { owner } }: KeysContext, what: keyof typeof t.done) =>
    redirect(`${signingKeysPath(owner)}?done=${what}`);
  const changeOf = ({ caller, subject: { owner } }: KeysContext) => ({ by: caller.actor, owner });
  return places.flatMap(({ kind, base, whose }) => {
    const access = ownerAccess.owner(kind);
    const form = {
      method: 'POST',
      access,
      page: base,
      reauthentication: true,
      rateLimit: signingKeyRateLimit,
    } as const;
    return [
      defineRoute({
        method: 'GET',
        path: base,
        summary: `Show the keys that sign APKs of ${whose}`,
        access,
        query: { done: lenient(v.picklist(['rotated', 'imported', 'confirmed'])) },
        handle: async (context) => {
          const { done: what } = context.query;
          return html(await render(context, { done: what ? t.done[what] : null }));
        },
      }),
      defineRoute({
        ...form,
        path: `${base}/rotate`,
        summary: `Rotate the key that signs APKs of ${whose}`,
        form: { [confirmationField]: v.optional(v.string(), '') },
        handle: async (context) => {
          const confirmed = context.form[confirmationField] !== '';
          await signingKeys.rotate({ ...changeOf(context), confirmed });
          return done(context, 'rotated');
        },
        renderErrors: ({ error }, context) => render(context, { rotationErrors: [error.sentence] }),
      }),
      defineRoute({
        ...form,
        path: `${base}/confirm`,
        summary: `Confirm who imports a key of ${whose}`,
        form: {},
        handle: async (context) => done(context, 'confirmed'),
      }),
      defineRoute({
        method: 'POST',
        access,
        page: base,
        reauthentication: true,
        rateLimit: signingKeyRateLimit,
        confirmation: `${base}/confirm`,
        path: `${base}/import`,
        summary: `Import a key that signs APKs of ${whose}`,
        streamedBody: { describes: importSchema },
        handle: (context) =>
          receiveFileForm(
            { spool },
            {
              client: context.client,
              body: context.body,
              fileField: 'keystore',
              maxFileBytes: maxKeystoreBytes,
              fields: importFields,
              errors: importErrors(),
              save: async (file, { password, key_password: keyPassword, alias, continues, ...rest }) => {
                const options = {
                  password,
                  ...(keyPassword === '' ? {} : { keyPassword }),
                  ...(alias === '' ? {} : { alias }),
                };
                const userId = context.caller.actor.user.id;
                const key = await packages
                  .readKeystore(file.path, userId, options)
                  .catch((error: unknown) => {
                    if (!(error instanceof UnreadablePackage)) throw error;
                    throw invalid(toSentence(findingText(error.message)));
                  });
                const change = { ...changeOf(context), confirmed: rest[confirmationField] !== '' };
                await signingKeys.importKey(change, key, continues === 'true');
                return done(context, 'imported');
              },
              renderError: (importError) => render(context, { importError: toSentence(importError) }),
            },
          ),
      }),
      defineRoute({
        ...form,
        path: `${base}/export`,
        summary: `Export a key that signs APKs of ${whose}`,
        form: {
          number: v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/), v.transform(Number)),
          password: v.pipe(
            v.string(),
            v.minLength(minimumKeystorePasswordLength, () =>
              t.errors.passwordShort({ count: minimumKeystorePasswordLength }),
            ),
            v.maxLength(maxPasswordLength),
            // Programs encode other characters in passwords of keystores differently.
            v.regex(/^[ -~]+$/, () => t.errors.passwordPlain),
          ),
        },
        handle: async (context) => {
          const { number, password } = context.form;
          const { owner } = context.subject;
          const keystore = await signingKeys.exportKey(changeOf(context), number, password);
          return content('application/x-pkcs12', keystore, {
            headers: {
              'Cache-Control': 'no-store',
              'Content-Disposition': contentDisposition(`${owner.name}-signing-key-${number}.p12`),
            },
          });
        },
        renderErrors: ({ errors }, context) => render(context, { passwordErrors: errors.password }),
      }),
    ];
  });
}

const importErrors = () => ({
  missing: t.errors.keystoreMissing,
  several: t.errors.severalFiles,
  bytes: t.errors.keystoreLarge,
});

/** The fields of the form, for the OpenAPI document. */
const importSchema = {
  type: 'object',
  required: ['csrf', 'keystore', 'password'],
  properties: {
    csrf: { type: 'string' },
    keystore: { type: 'string', format: 'binary' },
    password: { type: 'string' },
    key_password: { type: 'string' },
    alias: { type: 'string' },
    continues: { type: 'string', enum: ['true'] },
    [confirmationField]: { type: 'string', enum: ['true'] },
  },
};
