/**
 * Signing keys in `/api/v1`: their certificates. Changing or exporting a key requires a person's proof of identity, so only the
 * console does it.
 */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { formatTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { StoredSigningKey } from '../../owners/signing-keys/signing-key.ts';
import type { SigningKeys } from '../../owners/signing-keys/signing-keys.ts';
import { certificateFacts } from '../../packages/certificate/certificate.ts';
import type { OwnerAccess } from '../../projects/owner-access-http.ts';

export interface SigningKeyApiDeps {
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  signingKeys: SigningKeys;
}

const signingKeyShape = v.pipe(
  v.object({
    number: integerShape('1, 2, 3 …; the highest one signs new builds.'),
    origin: v.picklist(['created', 'imported']),
    continues: v.pipe(
      v.boolean(),
      v.description('Whether it replaces the key before it, as a proof of rotation states.'),
    ),
    subject: v.string(),
    sha1: textShape('SHA-1 of the certificate, lowercase hexadecimal.'),
    sha256: textShape('SHA-256 of the certificate, lowercase hexadecimal.'),
    valid_until: timeShape(),
    created_at: timeShape(),
  }),
  v.title('SigningKey'),
);

export function signingKeyApiRoutes({ access, ownerAccess, signingKeys }: SigningKeyApiDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/owners/:owner/signing-keys',
      operationId: 'listSigningKeys',
      summary: 'List the keys that sign the APKs of an owner',
      description: 'All of them, the oldest first. There is none before the first app bundle.',
      tag: 'Builds',
      access: access.byUserKey(ownerAccess.owner('user', 'project')),
      keyScope: 'read',
      answer: listAnswer(signingKeyShape),
      handle: async ({ subject: { owner } }) => {
        const keys = await signingKeys.list(owner.id);
        return json({ data: keys.map(signingKeyJson), next_cursor: null });
      },
    }),
  ];
}

function signingKeyJson(key: StoredSigningKey): v.InferOutput<typeof signingKeyShape> {
  const { subject, sha1, sha256, validUntil } = certificateFacts(key.certificate);
  const { number, origin, continues } = key;
  const [valid_until, created_at] = [validUntil, formatTime(key.createdAt)];
  return { number, origin, continues, subject, sha1, sha256, valid_until, created_at };
}
