/** Generates the table of addresses from the declarations. */

import { scopesOf } from './route-checks.ts';
import type { RouteFacts } from './route-facts.ts';

/** Sections of docs/addresses.md by path. The first matching section applies. */
const sections: readonly (readonly [title: string, path: RegExp])[] = [
  ['API', /^\/api\//],
  ['Directories (SCIM)', /^\/scim\//],
  ['Accounts', /^\/(sign-|welcome|forgot-|reset-|invitation|settings|unsubscribe)/],
  ['Administration', /^\/administration/],
  ['Distribution pages', /^\/distributions/],
  ['Apps and builds', /\/apps\/|^\/builds/],
  ['Users, Projects and Workspaces', /^\/(users|organizations|enterprises|projects|workspaces|upload)/],
  ['Site', /^\//],
];

/** Returns the sections of docs/addresses.md: every address, who may call it, and what the route layer enforces. */
export function describeAddresses(routes: readonly RouteFacts[]): string {
  const sectionOf = ({ path }: RouteFacts) => sections.find(([, pattern]) => pattern.test(path))?.[0];
  const sorted = [...routes].sort((one, other) =>
    one.path < other.path ? -1 : one.path > other.path ? 1 : 0,
  );
  return sections
    .map(([title]) => {
      const rows = sorted.filter((route) => sectionOf(route) === title).map(rowOf);
      return [`## ${title}`, '', '| Address | Purpose | Who | Rules |', '|---|---|---|---|', ...rows].join(
        '\n',
      );
    })
    .join('\n\n');
}

function rowOf(route: RouteFacts): string {
  const cells = [
    `\`${route.method} ${route.path}\``,
    route.summary,
    describeCallers(route),
    rulesOf(route).join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function describeCallers({ access }: RouteFacts): string {
  const { roles, credentials, others } = access;
  if (roles.includes('public')) return 'everyone';
  const by = credentials.length > 0 ? `, by ${credentials.join(' or ')}` : '';
  const refusal = { missing: 404, forbidden: 403, invalid: 400 }[others];
  return `${roles.join(' or ')}${by}; others ${refusal}`;
}

function rulesOf(route: RouteFacts): string[] {
  const { rateLimit: limit, query } = route;
  return [
    route.reauthentication ? 're-authentication' : '',
    route.keyScope
      ? `key scope ${scopesOf(route)
          .map((scope) => `\`${scope}\``)
          .join(' or ')}`
      : '',
    limit ? `${limit.limit} per ${formatDuration(limit.windowMs)} and ${limit.per}` : '',
    route.csrfExempt ? `no form token: ${route.csrfExempt}` : '',
    route.rateLimitExempt ? 'not rate limited' : '',
    query
      ? `query ${Object.keys(query)
          .map((name) => `\`${name}\``)
          .join(', ')}`
      : '',
  ].filter((rule) => rule !== '');
}

function formatDuration(ms: number): string {
  const named: Readonly<Record<number, string>> = { 3600000: 'hour', 86400000: 'day' };
  return named[ms] ?? `${ms / 60_000} minutes`;
}
