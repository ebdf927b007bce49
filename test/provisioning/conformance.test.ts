/**
 * What a client of SCIM may expect of every server: discovery, then each operation on each resource type with the attributes that
 * the server's own schemas describe. The checks are those of python-scim/scim2-tester.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DirectoryClient,
  openDirectory,
  type ScimList,
  type ScimResource,
} from '../support/directory-client.ts';
import { type Answer, json } from '../support/http-client.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface Attribute {
  name: string;
  type: string;
  multiValued: boolean;
  required: boolean;
  mutability: string;
  returned: string;
  subAttributes?: Attribute[];
}
interface Schema {
  id: string;
  attributes: Attribute[];
}
type Resource = ScimResource & Record<string, unknown>;

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const missing = '3d2f2d6e-6a0c-4c6e-9c55-4d4ea5c9f1b2';

describe.each(dialects)('conformance on %s', (dialect) => {
  let slipway: TestService;
  let directory: DirectoryClient;
  const schemas = new Map<string, Schema>();
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    await slipway.user('hanna');
    await slipway.workspace('harbour', 'hanna');
    directory = await openDirectory(slipway, 'harbour');
    for (const schema of json<{ Resources: Schema[] }>(await directory.call('GET', '/Schemas')).Resources)
      schemas.set(schema.id, schema);
  });
  afterAll(() => slipway.close());

  const expectError = (answer: Answer, status: number) => {
    expect([answer.status, json(answer)]).toEqual([
      status,
      expect.objectContaining({ schemas: [errorSchema], status: String(status) }),
    ]);
    expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8');
  };
  let counter = 0;
  const text = () => {
    counter += 1;
    return `value${counter}`;
  };
  /** A random value that the schema permits. */
  const randomValue = async ({
    name,
    type,
    multiValued,
    subAttributes = [],
  }: Attribute): Promise<unknown> => {
    if (name === 'members') {
      const user = await directory.create('Users', { userName: text() });
      return [{ value: user.id, type: 'User' }];
    }
    if (type === 'boolean') return true;
    if (name === 'emails') return [{ value: `${text()}@tide.example`, type: 'work', primary: true }];
    if (type !== 'complex') return text();
    const parts = await Promise.all(subAttributes.map(async (one) => [one.name, await randomValue(one)]));
    return multiValued ? [Object.fromEntries(parts)] : Object.fromEntries(parts);
  };
  const writable = (schema: Schema) =>
    schema.attributes.filter(({ mutability }) => mutability !== 'readOnly');
  const filled = async (schema: Schema, isWanted: (one: Attribute) => boolean) => {
    const wanted = writable(schema).filter(isWanted);
    const values = await Promise.all(wanted.map(async (one) => [one.name, await randomValue(one)]));
    return { schemas: [schema.id], ...Object.fromEntries(values) } as Resource;
  };
  /** What was sent, with what the server adds to members. */
  const echoed = (value: unknown) =>
    Array.isArray(value) ? value.map((one) => expect.objectContaining(one)) : value;

  it('describes itself, and refuses other methods there', async () => {
    const config = json<Record<string, { supported: boolean }>>(
      await directory.call('GET', '/ServiceProviderConfig'),
    );
    expect(config).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    for (const endpoint of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expectError(await directory.call(method, endpoint, method === 'DELETE' ? undefined : {}), 405);
    for (const endpoint of ['/ResourceTypes', '/Schemas']) {
      const list = json<{ Resources: { id: string }[] }>(await directory.call('GET', endpoint));
      expect(list).toMatchObject({ schemas: [listSchema], totalResults: 2, startIndex: 1, itemsPerPage: 2 });
      for (const one of list.Resources)
        expect(json(await directory.call('GET', `${endpoint}/${encodeURIComponent(one.id)}`))).toEqual(one);
      expectError(await directory.call('GET', `${endpoint}/${missing}`), 404);
      expectError(await directory.call('GET', `${endpoint}?filter=id%20pr`), 403);
    }
    const types = await directory.call('GET', '/ResourceTypes');
    for (const { schema } of json<{ Resources: { schema: string }[] }>(types).Resources)
      expect(schemas.has(schema)).toBe(true);
  });

  it('searches people and groups together', async () => {
    const [user, group] = [text(), text()];
    await directory.create('Users', { userName: user, displayName: 'Search' });
    await directory.create('Groups', { displayName: `Search ${group}` });
    const search = async (asked: object) =>
      json<ScimList>(
        await directory.call('POST', '/.search', { filter: 'displayName sw "search"', ...asked }),
      );
    const names = (list: ScimList) => list.Resources.map(({ displayName }) => displayName);
    expect(await search({})).toMatchObject({ schemas: [listSchema], totalResults: 2, startIndex: 1 });
    expect(names(await search({}))).toEqual(['Search', `Search ${group}`]);
    expect(names(await search({ startIndex: 2, count: 5 }))).toEqual([`Search ${group}`]);
    expect(names(await search({ count: 1 }))).toEqual(['Search']);
    // Groups have no userName.
    expect(names(await search({ filter: `userName eq "${user}"` }))).toEqual(['Search']);
    expectError(await directory.call('POST', '/.search', { filter: 'favourite eq "x"' }), 400);
    expectError(await directory.call('POST', '/Users/.search', { filter: 7 }), 400);
    expectError(await directory.call('POST', '/Users/.search', { where: 'id pr' }), 400);
  });

  it('answers addresses that do not exist with an error of SCIM', async () => {
    expectError(await directory.call('GET', `/${missing}`), 404);
    expectError(await directory.call('POST', `/Users/${missing}`, {}), 405);
  });

  describe.each([
    ['User', '/Users'],
    ['Group', '/Groups'],
  ] as const)('of %s', (name, endpoint) => {
    const schema = () => schemas.get(`urn:ietf:params:scim:schemas:core:2.0:${name}`) as Schema;
    const create = async (isWanted: (one: Attribute) => boolean = ({ required }) => required) => {
      const sent = await filled(schema(), isWanted);
      const answer = await directory.call('POST', endpoint, sent);
      expect(answer.status).toBe(201);
      return { sent, made: json<Resource>(answer), answer };
    };

    it('creates, reads, replaces and deletes a resource', async () => {
      const { sent, made, answer } = await create(() => true);
      expect(answer.headers.location).toBe(made.meta.location);
      for (const { name: one } of writable(schema()))
        expect([one, made[one]]).toEqual([one, echoed(sent[one])]);
      expect(made.meta).toMatchObject({ resourceType: name, version: answer.headers.etag });
      expect(json(await directory.call('GET', `${endpoint}/${made.id}`))).toEqual(made);
      const next = await filled(schema(), () => true);
      const replaced = await directory.call('PUT', `${endpoint}/${made.id}`, { ...next, id: made.id });
      expect(replaced.status).toBe(200);
      const now = json<Resource>(replaced);
      for (const { name: one } of writable(schema()))
        expect([one, now[one]]).toEqual([one, echoed(next[one])]);
      expect([now.id, now.meta.created]).toEqual([made.id, made.meta.created]);
      const deleted = await directory.call('DELETE', `${endpoint}/${made.id}`);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const operations = { Operations: [{ op: 'replace', path: 'displayName', value: text() }] };
        const body = method === 'PUT' ? next : method === 'PATCH' ? operations : undefined;
        expectError(await directory.call(method, `${endpoint}/${made.id}`, body), 404);
      }
    });

    it('lists resources, and finds each by its id', async () => {
      const { made } = await create();
      const list = await directory.list(`${endpoint}?count=200`);
      expect(list.schemas).toEqual([listSchema]);
      expect(list.Resources.map(({ id }) => id)).toContain(made.id);
      const found = await directory.list(`${endpoint}?filter=${encodeURIComponent(`id eq "${made.id}"`)}`);
      expect(found).toMatchObject({ totalResults: 1, Resources: [made] });
    });

    it('adds, replaces and removes every attribute by its path, with and without its schema', async () => {
      const { made } = await create();
      const path = `${endpoint}/${made.id}`;
      const patch = async (operation: object) => {
        expect((await directory.patch(path, [operation])).status).toBeLessThan(300);
        return json<Resource>(await directory.call('GET', path));
      };
      for (const attribute of writable(schema()).filter(({ required }) => !required)) {
        for (const op of ['add', 'replace']) {
          for (const prefix of ['', `${schema().id}:`]) {
            const value = await randomValue(attribute);
            const now = await patch({ op, path: `${prefix}${attribute.name}`, value });
            const isAdded = op === 'add' && attribute.name === 'members';
            const wanted = isAdded ? expect.arrayContaining(echoed(value) as unknown[]) : echoed(value);
            expect([attribute.name, op, now[attribute.name]]).toEqual([attribute.name, op, wanted]);
          }
        }
        if (attribute.name === 'active') continue;
        const now = await patch({ op: 'remove', path: attribute.name });
        expect([attribute.name, now[attribute.name] ?? []]).toEqual([attribute.name, []]);
      }
    });

    it('returns the attributes that are asked for', async () => {
      const { made } = await create(() => true);
      const [first, second] = writable(schema())
        .filter(({ required, returned }) => !required && returned === 'default')
        .map((one) => one.name) as [string, string];
      const excluded = second ?? first;
      const reads = [
        async (query: string) =>
          json<Resource>(await directory.call('GET', `${endpoint}/${made.id}?${query}`)),
        async (query: string) => {
          const filter = encodeURIComponent(`id eq "${made.id}"`);
          return (await directory.list(`${endpoint}?filter=${filter}&${query}`)).Resources[0] as Resource;
        },
      ];
      for (const address of ['/.search', `${endpoint}/.search`])
        reads.push(async (query) => {
          const [[parameter, value] = []] = [...new URLSearchParams(query)];
          const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'];
          const asked = { schemas, filter: `id eq "${made.id}"`, [parameter ?? '']: [value], count: 1 };
          const found = await directory.call('POST', address, asked);
          return json<{ Resources: Resource[] }>(found).Resources[0] as Resource;
        });
      for (const read of reads) {
        expect(Object.keys(await read(`attributes=${first}`)).sort()).toEqual(
          ['id', 'schemas', first].sort(),
        );
        expect(await read(`excludedAttributes=${excluded}`)).not.toHaveProperty(excluded);
      }
    });
  });
});
