/** Every page and every JSON answer of a full installation, compared with `every-answer.txt`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectedOf, ownerPath } from '../support/declared-routes.ts';
import { everyPage, isPage, type PageVisit } from '../support/every-page.ts';
import { type FullInstallation, startFullInstallation } from '../support/full-installation.ts';
import { createStatementLog } from '../support/query-plans.ts';
import { callers } from '../support/route-callers.ts';
import { dialects } from '../support/test-database.ts';
import { pageOutlineOf } from '../web/page-outline.ts';

const path = join(import.meta.dirname, 'every-answer.txt');

/** Values that differ between runs, and their replacements. */
const differences: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b/g, '‹hash›'],
  [/(?<![0-9a-z])[0-9a-f]{40}\b/g, '‹key›'],
  [/(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}\b/g, '‹id›'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '‹uuid›'],
  [/\b([0-9A-F]{2}:){31}[0-9A-F]{2}\b/g, '‹fingerprint›'],
  [/slw_[\w-]{4}(?=…|")/g, '‹key›'],
  [/(?<![\w-])[\w.-]{43,}(?![\w-])/g, '‹token›'],
  [/\b[A-Z2-7]{32}\b|\b([A-Z2-7]{4} ){7}[A-Z2-7]{4}\b/g, '‹secret›'],
  [/127\.0\.0\.1(:|%3A|%20|%2520)\d+/g, '‹host›'],
  [/\b20\d\d-\d\d-\d\d([T ][\d:.]+Z?)?(?!\d)/g, '‹date›'],
  // Also on an axis, whose texts follow without blanks.
  [
    /(?<!\d)\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*( 20\d\d)?(, \d\d:\d\d UTC)?/g,
    '‹date›',
  ],
  // Users have numbers in one API.
  [/("(?:id|size|file_size|stored_bytes|storage)": )\d+/g, '$1‹number›'],
  [/\b1[78]\d{8}\b/g, '‹seconds›'],
  [/\/\S+\/slipway-test-\w+/g, '‹folder›'],
  // The length of a signature varies.
  [/[\d.]+%|[+−-]?\b\d+\.\d KiB|[+−-]?\d+ B(?![a-z])/g, '‹size›'],
  // Signatures and certificates in packages are new in every run.
  [/(?<= New \| – \| ).*/g, '‹size›'],
  [/("next_cursor": )".*"/g, '$1‹cursor›'],
  [/(SQLite|PostgreSQL) [\d.]+/g, '‹database›'],
  [/("dialect": )"\w+",(\s+"version": )"[\d.]+"/g, '$1‹database›,$2‹version›'],
];
const normalized = (text: string) =>
  differences.reduce((changed, [difference, kind]) => changed.replace(difference, kind), text);

/** Rows after the second look alike. */
const shortened = (_: string, value: unknown) =>
  Array.isArray(value) && value.length > 3 ? [...value.slice(0, 2), `and ${value.length - 2} more`] : value;

/** Rows that were created in the same millisecond have no order. */
const inOrder = (key: string, value: unknown) => {
  if (!Array.isArray(value)) return value;
  const texts = new Map(value.map((one) => [one, normalized(JSON.stringify(one))]));
  return shortened(
    key,
    value.toSorted((one, other) => ((texts.get(one) ?? '') < (texts.get(other) ?? '') ? -1 : 1)),
  );
};

/** The lines of each answer that only one of the texts has: the difference of the whole is too long to read. */
function changesOf(before: string, now: string): string[] {
  const answersIn = (text: string) =>
    new Map(text.split(/^(?==== )/m).map((answer) => [answer.split('\n', 1)[0] ?? '', answer.split('\n')]));
  const [known, found] = [answersIn(before), answersIn(now)];
  return [...new Set([...known.keys(), ...found.keys()])].flatMap((heading) => {
    const [old = [], fresh = []] = [known.get(heading), found.get(heading)];
    const changes = [
      ...old.filter((line) => !fresh.includes(line)).map((line) => `- ${line}`),
      ...fresh.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
    ];
    return changes.length > 0 ? [heading, ...changes] : [];
  });
}

describe.each(dialects)('every answer on %s', { timeout: 120_000 }, (dialect) => {
  let installation: FullInstallation;
  const log = createStatementLog();
  beforeAll(async () => {
    installation = await startFullInstallation({ dialect, logger: log.logger });
    log.start();
  });
  afterAll(() => installation?.close());

  /** Opening it is counted in the background, which activity pages would show sooner or later. */
  const isCounted = ({ path, by }: PageVisit) =>
    by === 'tester' || /^\/distributions\/\w+(\/\d+)?(\?|$)/.test(path);
  const outlineOf = async ({ path, by, headers: given }: PageVisit) => {
    const { service, kit, port } = installation;
    const cookie = kit.cookieOf(by);
    const headers = {
      Host: `127.0.0.1:${port}`,
      Accept: 'text/html',
      ...(cookie ? { Cookie: cookie } : {}),
    };
    const answer = await service.http.inject({ url: path, headers: { ...headers, ...given } });
    const isPage = answer.headers['content-type']?.startsWith('text/html');
    const content = isPage ? pageOutlineOf(answer.payload) : `→ ${answer.headers.location}`;
    return `=== ${path} for ${by}: ${answer.statusCode}\n${content}`;
  };
  const answers = async () => {
    const { service, kit } = installation;
    const reads = service.declared.filter((route) => route.method === 'GET' && !isPage(route));
    const found: string[] = [];
    for (const route of reads) {
      const by = callers.find((caller) => expectedOf(route, caller) === 'in');
      if (!by || /openapi|\/(live|events)$/.test(route.path)) continue;
      const { status, headers, text } = await kit.call(by, ownerPath(route, kit), null);
      const type = headers['content-type'] ?? '';
      if (!/json|csv/.test(type)) continue;
      const content = type.startsWith('application/json')
        ? JSON.stringify(JSON.parse(text), /\/data(\.json)?$/.test(route.path) ? inOrder : shortened, 1)
        : text.trimEnd();
      found.push(`=== ${route.path} for ${by}: ${status}\n${content}`);
    }
    return found;
  };

  /** `UPDATE_GOLDEN=1 npm test -- test/interface/every-answer.test.ts` stores the current content. */
  it('says what it said before', async () => {
    const visits = (await everyPage(installation)).filter(({ path }) => path !== '/docs');
    const outlines = new Map<PageVisit, string>();
    for (const visit of visits) if (!isCounted(visit)) outlines.set(visit, await outlineOf(visit));
    const read = await answers();
    for (const visit of visits) if (isCounted(visit)) outlines.set(visit, await outlineOf(visit));
    const texts = [...visits.map((visit) => outlines.get(visit) ?? ''), ...read].map(normalized);
    const seen = new Map<string, string>();
    const found = texts.map((text) => {
      const [heading = '', content = ''] = text.split(/\n([\s\S]*)/);
      const same = seen.get(content);
      if (same === undefined) seen.set(content, heading);
      return same === undefined ? text : `${heading}\nthe same as ${same}`;
    });
    const answer = `${found.join('\n\n')}\n`;
    if (process.env.UPDATE_GOLDEN === '1' && dialect === 'sqlite') writeFileSync(path, answer);
    const before = readFileSync(path, 'utf8');
    expect(changesOf(before, answer)).toEqual([]);
    expect(answer).toBe(before);
  });

  it('reads no table that can grow as a whole', () => log.expectNoScans(installation));
});
