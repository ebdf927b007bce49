/** Permissions of API keys. Route declarations name the scope that a key needs; a key stores the scopes it was issued with. */
export const keyScopes = ['upload', 'read', 'manage', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** `manage` includes `upload` and `read`; `admin` includes everything; `upload` and `read` don't include each other. */
const included: Readonly<Record<KeyScope, readonly KeyScope[]>> = {
  upload: ['upload'],
  read: ['read'],
  manage: ['upload', 'read', 'manage'],
  admin: keyScopes,
};

/** Returns every scope that the stored scopes include. */
export function grantedScopes(stored: readonly KeyScope[]): KeyScope[] {
  return keyScopes.filter((scope) => stored.some((one) => included[one].includes(scope)));
}

export function isKeyScope(text: string): text is KeyScope {
  return (keyScopes as readonly string[]).includes(text);
}
