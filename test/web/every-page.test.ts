/** Every page as it is served, and every form that it refuses, in an installation in which every text is hostile. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { expectedOf, ownerPath } from '../support/declared-routes.ts';
import { englishWords } from '../support/english-words.ts';
import { everyPage, isPage, type PageVisit } from '../support/every-page.ts';
import { type FullInstallation, startHostileInstallation } from '../support/full-installation.ts';
import { persons } from '../support/route-callers.ts';
import { type Element, readElements } from './elements.ts';
import { attack } from './hostile.ts';

/** Returns forbidden content of a page. Throws if its tags do not nest, or if a text is not escaped. */
function faultsOf(html: string, { path }: Pick<PageVisit, 'path'>): string[] {
  const elements = readElements(html);
  return [
    ...elements.flatMap(policyFaults),
    ...outlineFaults(elements),
    ...labelFaults(elements),
    ...scriptFaults(elements),
    ...robotsFaults(elements, path === '/docs'),
  ];
}

/** The content security policy forbids inline styles and scripts, and everything from other hosts. */
function policyFaults({ tag, attributes, text }: Element): string[] {
  const address = attributes.get('src') ?? attributes.get('href') ?? attributes.get('action') ?? '';
  const isLocal = /^\/(?![/\\])/.test(address);
  const isFine =
    !attributes.has('style') &&
    ![...attributes.keys()].some((name) => name.startsWith('on')) &&
    tag !== 'style' &&
    (tag !== 'script' || (text === '' && /^\/assets\/\w+\.js\?v=[0-9a-f]{16}$/.test(address))) &&
    (tag !== 'img' || isLocal || address.startsWith('data:image/png;base64,')) &&
    (tag !== 'link' || /^\/(assets\/|branding\/|[^:]*\/icon\b)/.test(address)) &&
    (tag !== 'form' || isLocal);
  return isFine ? [] : [`${tag} ${address} ${[...attributes.keys()]} ${text}`];
}

function outlineFaults(elements: readonly Element[]): string[] {
  // In an SVG, a title is the tooltip of a part.
  const ofPage = elements.filter(({ ancestors }) => !ancestors.includes('svg'));
  const count = (tag: string, parent?: string) =>
    ofPage.filter((one) => one.tag === tag && (parent === undefined || one.ancestors.at(-1) === parent))
      .length;
  const [title = '', ...headings] = ofPage.filter(({ tag }) => /^h[1-6]$/.test(tag)).map(({ text }) => text);
  const levels = elements.filter(({ tag }) => /^h[1-6]$/.test(tag)).map(({ tag }) => Number(tag[1]));
  return [
    ...['html', 'head', 'title', 'main', 'h1'].filter((tag) => count(tag) !== 1),
    ...['header', 'footer'].filter((tag) => count(tag, 'body') !== 1),
    ...headings.filter((heading) => heading === title).map((heading) => `${heading} repeats the title`),
    ...levels
      .filter((level, at) => level - (levels[at - 1] ?? 0) > 1)
      .map((level) => `h${level} skips a level`),
    ...elements
      .filter(({ tag, attributes }) => tag === 'html' && !/^en/.test(attributes.get('lang') ?? ''))
      .map(() => 'lang'),
  ];
}

/** Every control has a label or a text, and every id exists once. */
function labelFaults(elements: readonly Element[]): string[] {
  const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
  const labeled = new Set(
    elements.flatMap(({ tag, attributes }) => (tag === 'label' ? (attributes.get('for') ?? []) : [])),
  );
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `the id ${id} again`),
    ...elements.flatMap(({ tag, attributes, ancestors, text }) => {
      const references = ['aria-labelledby', 'aria-describedby', 'for'].flatMap(
        (name) => attributes.get(name)?.split(' ') ?? [],
      );
      const isNamed = `${text}${attributes.get('aria-label') ?? ''}`.trim() !== '';
      const isField = ['input', 'select', 'textarea'].includes(tag) && attributes.get('type') !== 'hidden';
      const isLabeled =
        labeled.has(attributes.get('id') ?? '') ||
        attributes.has('aria-label') ||
        ancestors.includes('label');
      return [
        ...references.filter((id) => !ids.includes(id)).map((id) => `refers to ${id}`),
        ...((tag === 'a' || tag === 'button') && !isNamed ? [`${tag} without a name`] : []),
        ...(tag === 'img' && attributes.get('alt') === undefined ? ['img without alt'] : []),
        ...(isField && !isLabeled ? [`${attributes.get('name')} without a label`] : []),
      ];
    }),
  ];
}

/** The script for uploads is large: only pages that accept dropped files load it. */
function scriptFaults(elements: readonly Element[]): string[] {
  const loads = elements.some(({ attributes }) => attributes.get('src')?.startsWith('/assets/upload.js'));
  const accepts = elements.some(({ attributes }) => attributes.has('data-drop'));
  return loads === accepts ? [] : [loads ? 'upload.js is not used' : 'upload.js is missing'];
}

/** Search engines index documentation only. */
function robotsFaults(elements: readonly Element[], isDocumentation: boolean): string[] {
  const robots = elements.find(
    ({ tag, attributes }) => tag === 'meta' && attributes.get('name') === 'robots',
  );
  return robots?.attributes.get('content') === (isDocumentation ? undefined : 'noindex, nofollow')
    ? []
    : ['robots'];
}

/** The last part of an address that takes something away. */
const destructive =
  /\/(cancel|decline|delete|disable|end|end-[\w-]+|leave|remove|remove-everywhere|reset|revoke|revoke-all|rotate|rotate-\w+|unlink|unprotect|withdraw)$/;
/** Deleted and withdrawn builds can be restored, and protected again. The settings of a page ask in a fold. */
const undoable =
  /\/binaries\/(\d+\/)?(delete|unprotect)$|^\/distributions\/\w+\/settings\/(withdraw|delete|rotate-link)$/;

/** The names of the successes that a page tells after a form, from its declared query. */
function successesOf({ query }: Route): string[] {
  const done = query?.done as { wrapped?: { pipe?: { options?: string[]; literal?: string }[] } } | undefined;
  const schema = done?.wrapped?.pipe?.at(-1);
  return schema?.options ?? [schema?.literal ?? []].flat();
}

describe('every page', { timeout: 120_000 }, () => {
  let installation: FullInstallation;
  let visits: PageVisit[];
  beforeAll(async () => {
    installation = await startHostileInstallation();
    visits = await everyPage(installation);
  });
  afterAll(() => installation?.close());

  const open = async ({ path, by, headers: given }: PageVisit) => {
    const { service, kit, port } = installation;
    const cookie = kit.cookieOf(by);
    const headers = {
      Host: `127.0.0.1:${port}`,
      Accept: 'text/html',
      ...(cookie ? { Cookie: cookie } : {}),
      ...given,
    };
    return service.http.inject({ url: path, headers });
  };

  it('escapes every text, follows the content security policy, and is complete and labeled', async () => {
    const wrong: unknown[] = [];
    let attacked = 0;
    for (const visit of visits) {
      const { statusCode, payload, headers } = await open(visit);
      const expected = visit.status ?? 200;
      if (statusCode !== expected) wrong.push([visit, statusCode, headers.location]);
      if (statusCode === 303) continue;
      attacked += payload.includes('alert(1)') ? 1 : 0;
      try {
        const faults = faultsOf(payload, visit);
        if (faults.length > 0) wrong.push([visit.path, visit.by, faults]);
      } catch (error) {
        wrong.push([visit.path, visit.by, String(error)]);
      }
    }
    expect(wrong).toEqual([]);
    expect(attacked).toBeGreaterThan(100);
  });

  it('asks before everything that cannot be undone', async () => {
    const wrong = new Set<string>();
    let asked = 0;
    for (const visit of visits) {
      // A page of its own asks, too.
      if (/\/(delete|removal)$/.test(visit.path)) continue;
      const { payload } = await open(visit);
      for (const { tag, attributes } of readElements(payload)) {
        const action = (attributes.get('action') ?? '').split('?', 1)[0] ?? '';
        if (tag !== 'form' || !destructive.test(action) || undoable.test(action)) continue;
        if (attributes.get('class')?.includes('confirm-form')) asked++;
        else wrong.add(action);
      }
    }
    expect([...wrong]).toEqual([]);
    expect(asked).toBeGreaterThan(50);
  });

  it('tells every success of a form', async () => {
    const wrong: unknown[] = [];
    let told = 0;
    for (const route of installation.service.declared.filter(isPage)) {
      const visit = visits.find(
        ({ by, path }) => by !== 'nobody' && path === ownerPath(route, installation.kit),
      );
      for (const done of visit ? successesOf(route) : []) {
        // Only with a mail server.
        if (done === 'test-sent') continue;
        const path = `${visit?.path}?done=${done}`;
        const { payload } = await open({ ...visit, path, by: visit?.by ?? 'owner' });
        const faults = faultsOf(payload, { path });
        if (faults.length > 0 || !payload.includes('role="status"')) wrong.push([path, faults]);
        told++;
      }
    }
    expect(wrong).toEqual([]);
    expect(told).toBeGreaterThan(40);
  });

  it('shows every refused form again, with what was typed and why', async () => {
    const { service, kit } = installation;
    const forms = service.declared.filter(
      ({ method, form, streamedBody }) => method === 'POST' && form && !streamedBody,
    );
    const wrong: unknown[] = [];
    let shown = 0;
    for (const route of forms) {
      const person = persons.find((one) => expectedOf(route, one) === 'expired form');
      const names = Object.keys(route.form ?? {});
      if (!person || names.length === 0) continue;
      const fields = Object.fromEntries(names.map((name) => [name, `${name} ${attack}`]));
      const { status, text } = await kit.call(person, ownerPath(route, kit), { fields, multipart: false });
      // Some accept any text.
      if (status === 303) continue;
      try {
        const faults = faultsOf(text, route);
        if (faults.length > 0) wrong.push([route.path, status, faults]);
      } catch (error) {
        wrong.push([route.path, status, String(error)]);
      }
      shown += text.includes('aria-invalid') ? 1 : 0;
    }
    expect(wrong).toEqual([]);
    expect(shown).toBeGreaterThan(30);
  });

  it('asks for a proof of identity with what was typed', async () => {
    const { service, kit, clock } = installation;
    const wrong: unknown[] = [];
    clock.offsetMs = 10 * 60_000;
    for (const route of service.declared.filter(({ reauthentication }) => reauthentication)) {
      const person = persons.find((one) => expectedOf(route, one) === 'expired form');
      if (!person) continue;
      const names = Object.keys(route.form ?? {});
      const fields = Object.fromEntries(names.map((name) => [name, `${name} ${attack}`]));
      const { status, text } = await kit.call(person, ownerPath(route, kit), { fields, multipart: false });
      const faults = faultsOf(text, route);
      if (!/confirm-action">[^<]/.test(text)) faults.push('does not say what is confirmed');
      if (status !== 403 || faults.length > 0) wrong.push([route.path, status, faults]);
    }
    expect(wrong).toEqual([]);
  });

  it('speaks Japanese only, on every page and in every refusal of a form', async () => {
    const { service, kit, config } = installation;
    const database = await openDatabase(config.database);
    try {
      await database.queries.updateTable('users').set({ language: 'ja' }).execute();
    } finally {
      await database.close();
    }
    const wrong: unknown[] = [];
    let read = 0;
    const check = (path: string, text: string) => {
      const words = englishWords(text);
      if (words.length > 0) wrong.push([path, words]);
      read++;
    };
    // The API reference is in English, and entries of the audit log keep the words of their time.
    for (const visit of visits.filter(({ path }) => !/^\/docs$|\/audit$/.test(path))) {
      const { payload } = await open({ ...visit, headers: { 'Accept-Language': 'ja', ...visit.headers } });
      check(visit.path, payload);
    }
    for (const route of service.declared) {
      const { method, form, streamedBody, path } = route;
      // The language of people that the route does not identify is unknown.
      if (/public|link holder/.test(route.access.roles.join())) continue;
      const person = persons.find((one) => expectedOf(route, one) === 'expired form');
      if (method !== 'POST' || !form || streamedBody || !person) continue;
      const fields = Object.fromEntries(Object.keys(form).map((name) => [name, `${name} ${attack}`]));
      check(path, (await kit.call(person, ownerPath(route, kit), { fields, multipart: false })).text);
    }
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(200);
  });
});
