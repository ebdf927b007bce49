/** API keys as the API shows them. The key itself is shown once, when it is created or rotated. */
import * as v from 'valibot';
import { formatNullableTime, formatTime, textShape, timeShape } from '../../core/json-shapes.ts';
import { keyScopes } from '../../core/key-scope.ts';
import { type ApiKey, stateOf } from './api-key.ts';

export const restrictedTo = v.pipe(
  v.array(v.string()),
  v.description('`crew` for an owner, `crew/android/com.example.app` for an app; empty: unrestricted.'),
);

export const keyShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    hint: textShape('The first characters of the key.'),
    state: v.picklist(['usable', 'expired', 'revoked']),
    scopes: v.array(v.picklist(keyScopes)),
    restricted_to: restrictedTo,
    created_at: timeShape(),
    created_by: v.nullable(textShape('Who created the key of a Project; null when unknown.')),
    client: v.nullable(textShape('What signed in from a terminal with the key.')),
    expires_at: v.nullable(timeShape()),
    last_used_at: v.nullable(timeShape('Precise to a minute.')),
    last_used_network: v.nullable(textShape('The IPv4 address, or the /64 of the IPv6 address.')),
    revoked_at: v.nullable(timeShape()),
    rotated_at: v.nullable(timeShape()),
    old_secret_works_until: v.nullable(timeShape('After a rotation.')),
  }),
  v.title('Key'),
);

export const issuedKeyShape = v.pipe(
  v.object({ api_key: textShape('Shown only in this answer.'), key: keyShape }),
  v.title('IssuedKey'),
);

/** `places`: the restriction as text. */
export function keyJson(
  key: ApiKey,
  { places, now }: { places: readonly string[]; now: number },
): v.InferOutput<typeof keyShape> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    state: stateOf(key, now),
    scopes: [...key.scopes],
    restricted_to: [...places],
    created_at: formatTime(key.createdAt),
    created_by: key.createdBy?.name ?? null,
    client: key.client,
    expires_at: formatNullableTime(key.expiresAt),
    last_used_at: formatNullableTime(key.lastUsedAt),
    last_used_network: key.lastUsedNetwork,
    revoked_at: formatNullableTime(key.revokedAt),
    rotated_at: formatNullableTime(key.rotatedAt),
    old_secret_works_until: formatNullableTime(key.previousUntil),
  };
}
