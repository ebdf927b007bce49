/** The target of a request: its normalized path, which hooks, limits and routes use, and whether it is under /api. */

/** Whether a target is under /api, where every response is JSON. */
export function isApiAddress(target: string): boolean {
  return /^\/api(?:[/?]|$)/i.test(target);
}

/** Whether keys are accepted in the query: under /api, except under /api/v1, which no older client calls. */
export function acceptsKeyInQuery(target: string): boolean {
  return isApiAddress(target) && !/^\/api\/v1(?:[/?]|$)/i.test(target);
}

/**
 * Normalizes the target. Removes the scheme and host (RFC 9112, section 3.2.2). Under /api, also removes duplicate and trailing
 * slashes, which existing clients send, and adds the platform of an app, which they may omit for Android.
 */
export function normalizeTarget(target: string): string {
  const plain = originFormOf(target);
  const queryAt = plain.indexOf('?');
  const path = queryAt === -1 ? plain : plain.slice(0, queryAt);
  const query = queryAt === -1 ? '' : plain.slice(queryAt);
  const single = path.replace(/\/{2,}/g, '/');
  if (!isApiAddress(single)) return plain;
  const address = single.endsWith('/') ? single.slice(0, -1) : single;
  return address.replace(appWithoutPlatform, '$1/platforms/android$2') + query;
}

/**
 * The method of a request. tus lets clients whose network blocks PATCH and DELETE send POST with `X-HTTP-Method-Override`
 * (tus 1.0, Core Protocol). It works nowhere else, because rules of proxies for methods should hold.
 */
export function normalizeMethod(method: string, target: string, override: unknown): string {
  const isOverridden = method === 'POST' && (override === 'PATCH' || override === 'DELETE');
  return isOverridden && /^\/api\/v1\/uploads\/[^/?]+$/.test(target) ? override : method;
}

const appWithoutPlatform = /^(\/api\/(?:users|organizations)\/[^/]+)(\/apps\/[^/]+)/i;

function originFormOf(target: string): string {
  const [scheme = ''] = /^https?:\/\//i.exec(target) ?? [];
  if (scheme === '') return target;
  const pathAt = target.slice(scheme.length).search(/[/?]/);
  if (pathAt === -1) return '/';
  const rest = target.slice(scheme.length + pathAt);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
