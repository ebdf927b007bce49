/** The audit log in the UI: filters, pages and exports. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const day = 24 * 60 * 60_000;
const start = Date.UTC(2026, 10, 1);
const hostile = '=HYPERLINK("https://elsewhere.example","x")';

describe.each(dialects)('the audit log on %s', (dialect) => {
  let slipway: TestService;
  let people: SignedInPeople;
  let crew: string;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    people = await signInPeople(slipway, ['admin', 'olga', 'dev']);
    await slipway.project('crew', { members: { olga: 'owner', dev: 'developer' } });
    crew = await people.idOf('crew');
    const olga = await slipway.data.owners.findOwner('olga');
    if (olga?.kind !== 'user') throw new Error('no olga');
    await slipway.data.transaction(async (tx) => {
      for (let at = 0; at < 120; at++) {
        await tx.audit.record({
          at: start + Math.floor(at / 10) * day + (at % 10),
          actor: at % 3 === 0 ? { kind: 'user', user: olga } : 'command-line',
          action: at % 2 === 0 ? 'build.uploaded' : 'device.renamed',
          ownerId: crew,
          subject: `subject-${at}.`,
          ...(at === 0 ? { details: { note: hostile } } : {}),
        });
      }
      await tx.audit.record({
        at: start - day,
        actor: 'command-line',
        action: 'some.thing-else',
        ownerId: crew,
        subject: hostile,
      });
    });
  });
  afterAll(() => slipway.close());

  const log = '/organizations/crew/audit';
  const range = 'from=2026-11-01&to=2026-11-12';
  const subjectsOf = (html: string) =>
    [...html.matchAll(/<strong><bdi>subject-(\d+)\.<\/bdi>/g)].map(([, number]) => Number(number));
  const numbers = async (query: string, name = 'olga') =>
    subjectsOf((await people.get(name, `${log}?${query}`)).text);

  it('paginates from newest to oldest and back, with each row once', async () => {
    const seen: number[][] = [];
    let address: string | undefined = `${log}?${range}`;
    let last = '';
    while (address) {
      const { text }: { text: string } = await people.get('olga', address);
      seen.push(subjectsOf(text));
      last = text;
      address = linkOf(text, 'next');
    }
    const newestFirst = Array.from({ length: 12 }, (_, back) => 11 - back);
    expect(seen.map((page) => page.length)).toEqual([50, 50, 20]);
    const days = seen.flat().map((number) => Math.floor(number / 10));
    expect(days).toEqual(newestFirst.flatMap((number) => Array.from({ length: 10 }, () => number)));
    expect(new Set(seen.flat()).size).toBe(120);
    const back = (await people.get('olga', linkOf(last, 'prev') ?? '')).text;
    expect(subjectsOf(back)).toEqual(seen[1]);
    const first = (await people.get('olga', linkOf(back, 'prev') ?? '')).text;
    expect(subjectsOf(first)).toEqual(seen[0]);
    expect(linkOf(first, 'prev')).toBeUndefined();
  });

  it('is filtered by action, actor and whole days', async () => {
    expect(await numbers('from=2026-11-03&to=2026-11-03')).toHaveLength(10);
    expect((await numbers('from=2026-11-03&to=2026-11-04')).every((at) => at >= 20 && at < 40)).toBe(true);
    const two = await numbers('from=2026-11-01&to=2026-11-02&action=build.uploaded');
    expect(two.sort((one, other) => one - other)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    const byOlga = await numbers('from=2026-11-01&to=2026-11-01&actor=OLGA');
    expect(byOlga.sort((one, other) => one - other)).toEqual([0, 3, 6, 9]);
    expect(await numbers('from=2026-11-01&to=2026-11-01&actor=command-line')).toHaveLength(6);
    expect(await numbers(`${range}&actor=nobody`)).toEqual([]);
    const none = await people.get('olga', `${log}?${range}&actor=nobody`);
    expect(none.text).toContain('No matching entries');
  });

  it.each(['2026-13-01', '2026-02-30', 'soon', '2026-1-1', "' or 1=1", '99999-01-01'])(
    'refuses %j as a day, and exports nothing for it',
    async (text) => {
      const page = await people.get('olga', `${log}?from=${encodeURIComponent(text)}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain('Invalid date.');
      const file = await people.get('olga', `${log}.csv?to=${encodeURIComponent(text)}`);
      expect(file.status).toBe(400);
    },
  );

  it.each(['below=x', 'above=', 'below=a&below=b', 'action=%00', 'actor=%00x', `actor=${'a'.repeat(5000)}`])(
    'treats %s like any other filter',
    async (query) => {
      expect((await people.get('olga', `${log}?${query}`)).status).toBe(200);
    },
  );

  it('shows Owners their own entries, and administrators everything', async () => {
    const all = (await people.get('admin', '/administration/audit')).text;
    expect(all).toContain('created the account');
    expect(all).toContain('created the Project');
    const own = (await people.get('olga', log)).text;
    expect(own).toContain('created the Project');
    expect(own).not.toContain('</bdi> created the account');
    expect((await people.get('dev', '/users/dev/audit')).text).toContain('created the account');
    const ofDay = await people.get('admin', `/administration/audit?${range}&actor=olga`);
    expect(subjectsOf(ofDay.text)).toHaveLength(40);
  });

  it('shows unknown actions by their name', async () => {
    const page = (await people.get('olga', `${log}?from=2026-10-31&to=2026-10-31`)).text;
    expect(page).toContain('some.thing-else');
    expect(page).not.toContain('href="https://elsewhere');
  });

  it('exports CSV that spreadsheets do not evaluate as formulas', async () => {
    const file = await people.get('olga', `${log}.csv?from=2026-10-31&to=2026-11-12`);
    expect(file.status).toBe(200);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(file.headers['content-disposition']).toBe('attachment; filename="audit-crew.csv"');
    const rows = readCsv(file.text);
    expect(rows[0]).toEqual(['time', 'actor', 'action', 'subject', 'details']);
    expect(rows).toHaveLength(122);
    expect(rows.at(-1)).toEqual([
      '2026-10-31T00:00:00.000Z',
      'command-line',
      'some.thing-else',
      `'${hostile}`,
      '',
    ]);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^\s*[=+\-@|%]/);
    expect(rows.find((row) => row[3] === 'subject-0.')?.[4]).toBe(JSON.stringify({ note: hostile }));
  });

  it('exports JSON lines with the filter of the page', async () => {
    const file = await people.get('olga', `${log}.jsonl?${range}&action=device.renamed`);
    expect(file.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const rows = file.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows).toHaveLength(60);
    expect(rows[0]).toMatchObject({ action: 'device.renamed', details: {} });
    expect(Object.keys(rows[0] ?? {})).toEqual(['time', 'actor', 'action', 'subject', 'details']);
    const empty = await people.get('olga', `${log}.jsonl?${range}&actor=nobody`);
    expect([empty.status, empty.text]).toEqual([200, '']);
    const all = await people.get('admin', `/administration/audit.jsonl?${range}`);
    expect(all.text.trimEnd().split('\n')).toHaveLength(120);
  });

  it('exports a log of any length as a stream', async () => {
    await slipway.data.transaction(async (tx) => {
      for (let at = 0; at < 1100; at++) {
        const entry = { at: start + 40 * day + at, actor: 'command-line' as const, action: 'build.uploaded' };
        await tx.audit.record({ ...entry, ownerId: crew, subject: `long-${at}` });
      }
    });
    const file = await people.get('olga', `${log}.jsonl?from=2026-12-11&to=2026-12-11`);
    const subjects = file.text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { subject: string }).subject);
    expect(subjects).toEqual(Array.from({ length: 1100 }, (_, back) => `long-${1099 - back}`));
  });
});

function linkOf(html: string, rel: 'next' | 'prev'): string | undefined {
  const link = readElements(html).find(({ tag, attributes }) => tag === 'a' && attributes.get('rel') === rel);
  return link?.attributes.get('href');
}

/** Reads CSV like a spreadsheet (RFC 4180). */
function readCsv(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  return text
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell = '']) => cell.replaceAll('""', '"')),
    );
}
