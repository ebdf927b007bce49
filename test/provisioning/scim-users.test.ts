/** People of a directory: create, read, replace, patch, list and delete, with versions and errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspaceProviderQueries } from '../../src/accounts/saml/workspace/workspace-provider-queries.ts';
import { directoryQueries } from '../../src/provisioning/directory-queries.ts';
import {
  type DirectoryClient,
  openDirectory,
  patchSchema,
  type ScimResource,
  userSchema,
} from '../support/directory-client.ts';
import { json } from '../support/http-client.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

describe.each(dialects)('the people of a directory on %s', (dialect) => {
  let slipway: TestService;
  let directory: DirectoryClient;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    await slipway.user('hanna');
    await slipway.workspace('harbour', 'hanna');
    directory = await openDirectory(slipway, 'harbour');
  });
  afterAll(() => slipway.close());

  const mia = {
    userName: 'mia@tide.example',
    externalId: '00u1',
    displayName: 'Mia Lindt',
    name: { givenName: 'Mia', familyName: 'Lindt', formatted: 'Mia Lindt' },
    emails: [
      { value: 'mia.private@tide.example', type: 'home' },
      { value: 'mia@tide.example', type: 'work', primary: true },
    ],
    active: true,
  };
  const refused = (answer: { status: number; text: string; headers: object }) => {
    const { schemas, status, scimType, detail } = json<Record<string, unknown>>(answer);
    expect(schemas).toEqual([errorSchema]);
    expect(status).toBe(String(answer.status));
    expect(answer.headers).toMatchObject({ 'content-type': 'application/scim+json; charset=utf-8' });
    return [answer.status, scimType, detail];
  };

  it('creates an account, and answers with the resource, its address and version', async () => {
    const answer = await directory.call('POST', '/Users', {
      schemas: [userSchema],
      ...mia,
      title: 'Engineer',
    });
    expect(answer.status).toBe(201);
    const made = json<ScimResource>(answer);
    const location = `${slipway.origin}/scim/v2/harbour/Users/${made.id}`;
    expect(answer.headers).toMatchObject({
      'content-type': 'application/scim+json; charset=utf-8',
      etag: 'W/"1"',
      location,
    });
    expect(made).toMatchObject({
      schemas: [userSchema],
      userName: 'mia@tide.example',
      externalId: '00u1',
      name: mia.name,
      emails: [{ value: 'mia@tide.example', type: 'work', primary: true }],
      active: true,
      meta: { resourceType: 'User', version: 'W/"1"', location },
    });
    expect(made).not.toHaveProperty('title');
    const account = await slipway.data.owners.findOwner('mia');
    expect(account).toMatchObject({ id: made.id, email: 'mia@tide.example', administrator: false });
    expect(json(await directory.call('GET', `/Users/${made.id}`))).toEqual(made);
    const [created] = await slipway.data.audit.list(made.id, 1);
    expect(created).toMatchObject({
      action: 'user.made',
      actorName: 'okta (SCIM)',
      details: { workspace: 'harbour' },
    });
  });

  it('refuses a userName that another user has, ignoring case', async () => {
    const again = await directory.call('POST', '/Users', {
      schemas: [userSchema],
      userName: 'MIA@tide.example',
    });
    expect(refused(again)).toEqual([409, 'uniqueness', expect.stringContaining('userName')]);
    const noel = await directory.create('Users', { userName: 'noel' });
    const taken = { schemas: [userSchema], userName: 'Mia@Tide.Example' };
    expect(refused(await directory.call('PUT', `/Users/${noel.id}`, taken)).slice(0, 2)).toEqual([
      409,
      'uniqueness',
    ]);
  });

  it('replaces and patches attributes, and counts a version for each change only', async () => {
    const { id } = await directory.create('Users', { userName: 'olle', externalId: 'x' });
    const put = {
      schemas: [userSchema],
      userName: 'olle',
      displayName: 'Olle B',
      name: { givenName: 'Olle' },
    };
    const replaced = await directory.call('PUT', `/Users/${id}`, put);
    expect([replaced.status, replaced.headers.etag]).toEqual([200, 'W/"2"']);
    expect(json(replaced)).toMatchObject({ displayName: 'Olle B', name: { givenName: 'Olle' } });
    expect(json(replaced)).not.toHaveProperty('externalId');
    expect((await directory.call('PUT', `/Users/${id}`, put)).headers.etag).toBe('W/"2"');
    const patched = await directory.patch(`/Users/${id}`, [
      { op: 'add', path: 'externalId', value: 'y' },
      { op: 'replace', path: 'name.familyName', value: 'Berg' },
      { op: 'replace', value: { displayName: 'Olle Berg', emails: [{ value: 'olle@tide.example' }] } },
      { op: 'remove', path: 'name.givenName' },
    ]);
    expect(json(patched)).toMatchObject({
      externalId: 'y',
      name: { familyName: 'Berg' },
      displayName: 'Olle Berg',
      emails: [{ value: 'olle@tide.example', primary: true }],
    });
    expect(json<ScimResource>(patched).name).not.toHaveProperty('givenName');
    // Nobody has used the account yet, so it gets the address.
    expect(await slipway.data.owners.findOwner('olle')).toMatchObject({ email: 'olle@tide.example' });
  });

  it('compares versions in If-Match and If-None-Match', async () => {
    const { id } = await directory.create('Users', { userName: 'pia' });
    const known = await directory.call('GET', `/Users/${id}`, undefined, { 'If-None-Match': 'W/"1"' });
    expect([known.status, known.text]).toEqual([304, '']);
    const stale = { 'If-Match': 'W/"7"' };
    const body = { schemas: [patchSchema], Operations: [{ op: 'replace', path: 'displayName', value: 'P' }] };
    for (const answer of [
      await directory.call('PATCH', `/Users/${id}`, body, stale),
      await directory.call('PUT', `/Users/${id}`, { schemas: [userSchema], userName: 'pia' }, stale),
      await directory.call('DELETE', `/Users/${id}`, undefined, stale),
    ])
      expect(refused(answer)[0]).toBe(412);
    const current = await directory.call('PATCH', `/Users/${id}`, body, { 'If-Match': 'W/"1"' });
    expect([current.status, current.headers.etag]).toEqual([200, 'W/"2"']);
    expect((await directory.call('DELETE', `/Users/${id}`, undefined, { 'If-Match': '*' })).status).toBe(204);
  });

  it('lets one of two writers with the same version win', async () => {
    const { id } = await directory.create('Users', { userName: 'quint' });
    const write = (displayName: string) =>
      directory.call(
        'PUT',
        `/Users/${id}`,
        { schemas: [userSchema], userName: 'quint', displayName },
        { 'If-Match': 'W/"1"' },
      );
    const answers = await Promise.all([write('one'), write('two')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const twins = await Promise.all(
      ['Twin', 'tWIN'].map((userName) =>
        directory.call('POST', '/Users', { schemas: [userSchema], userName }),
      ),
    );
    expect(twins.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it('filters, sorts, pages and selects attributes', async () => {
    const lists = await openDirectory(slipway, 'harbour', { token: 'lists' });
    for (const [userName, familyName] of [
      ['list-a', 'Ek'],
      ['list-b', 'Dahl'],
      ['list-c', 'Åker'],
    ])
      await lists.create('Users', {
        userName,
        externalId: `ext-${userName}`,
        name: { familyName },
        emails: [{ value: `${userName}@tide.example`, type: 'work' }],
        active: userName !== 'list-b',
      });
    const names = async (filter: string, more = '') => {
      const found = await lists.list(`/Users?filter=${encodeURIComponent(filter)}${more}`);
      return found.Resources.map(({ userName }) => userName);
    };
    expect(await names('userName eq "LIST-a"')).toEqual(['list-a']);
    expect(await names('externalId eq "ext-list-c"')).toEqual(['list-c']);
    expect(await names('externalId eq "EXT-list-c"')).toEqual([]);
    expect(await names('userName sw "list-" and active eq true')).toEqual(['list-a', 'list-c']);
    expect(await names('userName sw "list-" and not (active eq true)')).toEqual(['list-b']);
    expect(await names('userName sw "list-" and active eq "False"')).toEqual(['list-b']);
    expect(await names('emails[type eq "work" and value co "LIST-B@"]')).toEqual(['list-b']);
    expect(await names('emails.value ew "t-c@tide.example" or name.familyName eq "ek"')).toEqual([
      'list-a',
      'list-c',
    ]);
    expect(await names(`${userSchema}:userName eq "list-a"`)).toEqual(['list-a']);
    expect(await names('userName sw "list-" and meta.created gt "2020-01-01T00:00:00Z"')).toHaveLength(3);
    expect(await names('userName sw "list-" and displayName pr')).toEqual([]);
    expect(await names('userName eq "100%"')).toEqual([]);
    const sorted = '&sortBy=userName&sortOrder=descending';
    expect(await names('userName sw "list-"', sorted)).toEqual(['list-c', 'list-b', 'list-a']);
    const query = `/Users?filter=${encodeURIComponent('userName sw "list-"')}&sortBy=userName`;
    const second = await lists.list(`${query}&startIndex=2&count=1&attributes=userName`);
    expect(second).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(second.Resources).toEqual([{ schemas: [userSchema], id: expect.any(String), userName: 'list-b' }]);
    expect(await lists.list(`${query}&startIndex=0&count=0`)).toMatchObject({
      totalResults: 3,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    expect(await lists.list(`${query}&startIndex=999999&count=5000`)).toMatchObject({ Resources: [] });
    const without = await lists.list(`${query}&excludedAttributes=emails,name.familyName,meta`);
    expect(without.Resources[0]).not.toHaveProperty('emails');
    expect(without.Resources[0]).not.toHaveProperty('meta');
  });

  it('manages only the accounts that it may manage', async () => {
    const post = (userName: string, value: string) =>
      directory.call('POST', '/Users', { schemas: [userSchema], userName, emails: [{ value }] });
    await slipway.user('rolf');
    expect(refused(await post('rolf', 'rolf@example.com'))).toEqual([
      409,
      'uniqueness',
      expect.stringContaining('outside the Workspace'),
    ]);
    // Members of the Workspace are managed in it.
    await slipway.project('dock', { workspace: 'harbour', members: { rolf: 'tester' } });
    const rolf = json<ScimResource>(await post('rolf', 'rolf@example.com'));
    expect(rolf.id).toBe((await slipway.data.owners.findOwner('rolf'))?.id);
    // An administrator assigned the domain.
    const { id: workspaceId } = (await slipway.data.owners.findWorkspace('harbour')) ?? { id: '' };
    await slipway.user('sven');
    await directoryQueries(slipway.data).insertDomain(workspaceId, 'example.com', 1);
    const sven = json<ScimResource>(await post('sven', 'sven@EXAMPLE.com'));
    expect(sven.id).toBe((await slipway.data.owners.findOwner('sven'))?.id);
    // Nobody proved that the address is theirs.
    await slipway.owners.createUser({
      name: 'tove',
      email: 'tove@example.com',
      passwordHash: null,
      administrator: false,
      by: 'sign-up',
    });
    expect(refused(await post('tove', 'tove@example.com'))).toEqual([
      409,
      'uniqueness',
      expect.stringContaining('not confirmed'),
    ]);
    // The provider of the Workspace created the account, and may sign in to it.
    const tove = (await slipway.data.owners.findOwner('tove'))?.id ?? '';
    await workspaceProviderQueries(slipway.data).recordAccount(workspaceId, tove, 1);
    expect(json<ScimResource>(await post('tove', 'tove@example.com')).id).toBe(tove);
    await directory.patch(`/Users/${tove}`, [{ op: 'replace', path: 'active', value: false }]);
    expect(await slipway.data.owners.findActiveUser(tove)).toBeNull();
    await directoryQueries(slipway.data).deleteDomain(workspaceId, 'example.com');
  });

  it('moves the address of an account only where that cannot take it over', async () => {
    const person = { userName: 'ulla', emails: [{ value: 'ulla@tide.example' }] };
    const { id } = await directory.create('Users', person);
    const moveTo = async (value: string) => {
      const emails = [{ value }];
      const answer = await directory.call('PUT', `/Users/${id}`, {
        schemas: [userSchema],
        ...person,
        emails,
      });
      expect(json<ScimResource>(answer).emails?.[0]?.value).toBe(value);
      const owner = await slipway.data.owners.findOwnerById(id);
      return owner?.kind === 'user' && owner.email;
    };
    expect(await moveTo('ulla.b@tide.example')).toBe('ulla.b@tide.example');
    // The person has confirmed the address, so the account is in use.
    await slipway.data.accounts.setEmail(id, 'ulla.b@tide.example', 'ulla.b@tide.example', true);
    expect(await moveTo('thief@evil.example')).toBe('ulla.b@tide.example');
    for (const domain of ['tide.example', 'tide.test'])
      await directoryQueries(slipway.data).insertDomain(directory.workspaceId, domain, 1);
    expect(await moveTo('thief@evil.example')).toBe('ulla.b@tide.example');
    expect(await moveTo('ulla@tide.test')).toBe('ulla@tide.test');
    for (const domain of ['tide.example', 'tide.test'])
      await directoryQueries(slipway.data).deleteDomain(directory.workspaceId, domain);
  });

  it.each<[string, string, unknown, number, string | undefined]>([
    ['an unknown attribute', '/Users', { userName: 'bad', favourite: 'x' }, 400, 'invalidSyntax'],
    ['an unknown extension', '/Users', { userName: 'bad', 'urn:x:y:User': {} }, 400, 'invalidSyntax'],
    [
      'the schema of something else',
      '/Users',
      { schemas: [patchSchema], userName: 'bad' },
      400,
      'invalidSyntax',
    ],
    ['no userName', '/Users', { displayName: 'x' }, 400, 'invalidValue'],
    ['a blank userName', '/Users', { userName: '  ' }, 400, 'invalidValue'],
    ['control characters', '/Users', { userName: 'a\u0007b' }, 400, 'invalidValue'],
    ['a NUL', '/Users', { userName: 'a\0b' }, 400, 'invalidSyntax'],
    ['marks that change the direction', '/Users', { userName: 'a\u202eb' }, 400, 'invalidValue'],
    ['a long userName', '/Users', { userName: 'x'.repeat(257) }, 400, 'invalidValue'],
    ['a number as userName', '/Users', { userName: 7 }, 400, 'invalidValue'],
    ['no address', '/Users', { userName: 'bad', emails: [{ value: 'nobody' }] }, 400, 'invalidValue'],
    ['a state that is none', '/Users', { userName: 'bad', active: 'maybe' }, 400, 'invalidValue'],
    ['the same attribute twice', '/Users', { userName: 'bad', USERNAME: 'other' }, 400, 'invalidSyntax'],
    ['a list', '/Users', [], 400, 'invalidSyntax'],
    ['half a document', '/Users', '{"userName":', 400, 'invalidSyntax'],
    [
      'a deep document',
      '/Users',
      { userName: 'bad', name: JSON.parse('['.repeat(60) + ']'.repeat(60)) },
      400,
      'invalidSyntax',
    ],
    ['10 MB', '/Users', { userName: 'x'.repeat(10_000_000) }, 413, undefined],
    ['bulk', '/Bulk', { Operations: [] }, 501, undefined],
  ])('refuses %s', async (_, path, body, status, scimType) => {
    const [seen, type] = refused(await directory.call('POST', path, body));
    expect([seen, type]).toEqual([status, scimType]);
  });

  it.each<[string, string]>([
    [
      'a bomb',
      Array.from({ length: 16 }, (_, at) => `(userName eq "a${at}" or userName eq "b${at}")`)
        .join(' and ')
        .repeat(2),
    ],
    ['many comparisons', Array.from({ length: 33 }, () => 'id pr').join(' or ')],
    ['deep nesting', `${'('.repeat(9)}id pr${')'.repeat(9)}`],
    ['a long text', `userName eq "${'x'.repeat(1000)}"`],
    ['an unknown attribute', 'password eq "x"'],
    ['an unknown operator', 'userName like "x"'],
    ['a text without quotes', 'userName eq x'],
    ['an open bracket', '(userName eq "x"'],
    ['an open quote', 'userName eq "x'],
    ['nothing after and', 'userName eq "x" and'],
    ['a number for a text', 'userName eq 7'],
    ['a text for a state', 'active eq "maybe"'],
    ['a day that is none', 'meta.created gt "soon"'],
    ['a bracket in another', 'emails[emails[value eq "x"]]'],
    ['the prototype', '__proto__ eq "x"'],
  ])('refuses a filter with %s', async (_, filter) => {
    const answer = await directory.call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    expect(refused(answer).slice(0, 2)).toEqual([400, 'invalidFilter']);
  });

  it('refuses queries and operations that make no sense', async () => {
    const get = async (query: string) => refused(await directory.call('GET', `/Users?${query}`)).slice(0, 2);
    expect(await get('count=many')).toEqual([400, 'invalidValue']);
    expect(await get('startIndex=1e9')).toEqual([400, 'invalidValue']);
    expect(await get('sortBy=password')).toEqual([400, 'invalidFilter']);
    expect(await get('sortBy=userName&sortOrder=up')).toEqual([400, 'invalidValue']);
    expect((await get('filter=%00'))[0]).toBe(400);
    expect((await get('filter=id%20pr&filter=id%20pr'))[0]).toBe(400);
    const { id } = await directory.create('Users', { userName: 'vera' });
    const patch = async (operation: object) =>
      refused(await directory.patch(`/Users/${id}`, [operation])).slice(0, 2);
    expect(await patch({ op: 'move', path: 'active' })).toEqual([400, 'invalidSyntax']);
    expect(await patch({ op: 'remove' })).toEqual([400, 'noTarget']);
    expect(await patch({ op: 'add', path: 'favourite', value: 'x' })).toEqual([400, 'invalidPath']);
    expect(await patch({ op: 'add', path: 'emails[type eq', value: 'x' })).toEqual([400, 'invalidPath']);
    expect(await patch({ op: 'remove', path: 'userName' })).toEqual([400, 'mutability']);
    expect(await patch({ op: 'replace', path: 'active', value: 'perhaps' })).toEqual([400, 'invalidValue']);
    expect(await patch({ op: 'replace', path: 'displayName' })).toEqual([400, 'invalidValue']);
    expect(await patch({ op: 'replace', value: 'x' })).toEqual([400, 'invalidValue']);
    const address = [{ value: 'vera@elsewhere.example', type: 'work', primary: true }];
    await directory.patch(`/Users/${id}`, [{ op: 'add', path: 'emails', value: address }]);
    for (const path of ['type ne "work"', 'type eq "home" and value pr', 'value eq "other@x.example"']) {
      const selected = `emails[${path}]`;
      const one = { op: 'replace', path: `${selected}.value`, value: 'other@elsewhere.example' };
      const answer = await directory.patch(`/Users/${id}`, [one, { op: 'remove', path: selected }]);
      expect([path, json<ScimResource>(answer).emails]).toEqual([path, address]);
    }
    const many = Array.from({ length: 501 }, () => ({ op: 'remove', path: 'displayName' }));
    expect(refused(await directory.patch(`/Users/${id}`, many)).slice(0, 2)).toEqual([400, 'tooMany']);
    expect(refused(await directory.call('PATCH', `/Users/${id}`, {}))[1]).toBe('invalidSyntax');
    const text = { 'Content-Type': 'text/plain' };
    expect(refused(await directory.call('POST', '/Users', '{}', text))[0]).toBe(415);
    expect(refused(await directory.call('GET', '/Users/made-up'))[0]).toBe(404);
    expect(refused(await directory.call('GET', '/Me'))[0]).toBe(501);
  });
});
