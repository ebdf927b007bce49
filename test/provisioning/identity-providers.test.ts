/**
 * The requests that Microsoft Entra ID and Okta send, as their documentation shows them, with their quirks.
 * https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups and
 * https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DirectoryClient,
  openDirectory,
  type ScimList,
  type ScimResource,
} from '../support/directory-client.ts';
import { json } from '../support/http-client.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

describe.each(dialects)('identity providers on %s', (dialect) => {
  let slipway: TestService;
  let directory: DirectoryClient;
  beforeAll(async () => {
    slipway = await startTestService({ dialect, blobs: 'memory' });
    await slipway.user('hanna');
    await slipway.workspace('harbour', 'hanna');
    directory = await openDirectory(slipway, 'harbour');
  });
  afterAll(() => slipway.close());

  /** Sends a body as the provider does. */
  const send = async (method: string, path: string, body?: object, type = 'application/scim+json') =>
    directory.call(method, path, body, body ? { 'Content-Type': type } : {});
  const read = async <T = ScimResource>(path: string) => json<T>(await send('GET', path));
  const filter = (text: string) => `filter=${encodeURIComponent(text)}`;

  it('answers Microsoft Entra ID from the connection test to the deletion', async () => {
    // Test connection asks for a user that does not exist.
    const nobody = `/Users?${filter('userName eq "0e8dfa1c-4d4e-4d3a-9d3b-2f6d2a1d3f4f"')}`;
    expect(await read<ScimList>(nobody)).toMatchObject({ totalResults: 0, Resources: [] });
    const made = await send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@tide.example',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@tide.example' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      addresses: [{ type: 'work', country: 'SE', formatted: 'x' }],
      phoneNumbers: [{ type: 'mobile', value: '+46' }],
      preferredLanguage: 'sv-SE',
      title: 'Engineer',
      roles: [],
      [enterprise]: { department: 'Apps', employeeNumber: '7', manager: { value: 'x' } },
    });
    expect(made.status).toBe(201);
    const { id } = json<ScimResource>(made);
    const found = await read<ScimList>(`/Users?${filter('userName eq "test_user_AB6490EE@tide.example"')}`);
    expect(found.Resources).toMatchObject([{ id, active: true }]);
    const updated = await directory.patch(`/Users/${id}`, [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@tide.example' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+47' },
      { op: 'Add', path: `${enterprise}:department`, value: 'Design' },
      { op: 'Add', path: 'emails[type eq "home"].value', value: 'home@tide.example' },
    ]);
    expect(updated.status).toBe(200);
    expect(json(updated)).toMatchObject({
      emails: [{ value: 'updatedEmail@tide.example', type: 'work', primary: true }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
    });
    // An object without a path, with dots in its names.
    const dotted = await directory.patch(`/Users/${id}`, [
      {
        op: 'Add',
        value: { 'name.givenName': 'Mia', displayName: 'Mia L', [`${enterprise}:division`]: 'x' },
      },
    ]);
    expect(json(dotted)).toMatchObject({ displayName: 'Mia L', name: { givenName: 'Mia' } });
    const disabled = await directory.patch(`/Users/${id}`, [
      { op: 'Replace', path: 'active', value: 'False' },
    ]);
    expect(json<ScimResource>(disabled).active).toBe(false);
    const enabled = await directory.patch(`/Users/${id}`, [{ op: 'Replace', value: { active: 'True' } }]);
    expect(json<ScimResource>(enabled).active).toBe(true);

    const group = json<ScimResource>(
      await send('POST', '/Groups', {
        schemas: [
          'urn:ietf:params:scim:schemas:core:2.0:Group',
          'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
        ],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'displayName',
        meta: { resourceType: 'Group' },
      }),
    );
    const named = `/Groups?excludedAttributes=members&${filter('displayName eq "displayName"')}`;
    expect((await read<ScimList>(named)).Resources.map((one) => one.id)).toEqual([group.id]);
    const patch = async (operation: object) => {
      expect((await directory.patch(`/Groups/${group.id}`, [operation])).status).toBe(204);
      return (await read(`/Groups/${group.id}`)).members?.map(({ value }) => value) ?? [];
    };
    expect(await patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] })).toEqual([id]);
    expect(await patch({ op: 'Replace', path: 'displayName', value: 'renamed' })).toEqual([id]);
    expect(await patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] })).toEqual([]);
    const isMember = `/Groups?excludedAttributes=members&${filter(`id eq "${group.id}" and members eq "${id}"`)}`;
    expect((await read<ScimList>(isMember)).totalResults).toBe(0);
    expect((await send('DELETE', `/Groups/${group.id}`)).status).toBe(204);
    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await send('GET', `/Users/${id}`)).status).toBe(404);
  });

  it('answers Okta from the import to the deactivation', async () => {
    expect(await read<ScimList>('/Users?startIndex=1&count=2')).toMatchObject({
      startIndex: 1,
      Resources: [],
    });
    const unknown = `/Users?${filter('userName eq "test.user@okta.example"')}&startIndex=1&count=100`;
    expect((await read<ScimList>(unknown)).totalResults).toBe(0);
    const body = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'test.user@okta.example',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.example', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const made = await send('POST', '/Users', body, 'application/scim+json; charset=utf-8');
    expect(made.status).toBe(201);
    const user = json<ScimResource & { password?: string }>(made);
    expect(user.password).toBeUndefined();
    expect((await slipway.data.accounts.findAccount(user.id))?.passwordHash).toBeNull();
    expect(await read(`/Users/${user.id}`)).toEqual(user);
    // Profile updates send everything, with what Slipway answered.
    const put = {
      ...body,
      ...user,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    };
    expect(json(await send('PUT', `/Users/${user.id}`, put))).toMatchObject({
      name: { givenName: 'Another' },
    });
    const group = json<ScimResource>(
      await send('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: 'Test SCIMv2',
        members: [{ value: user.id, display: 'test.user@okta.example' }],
      }),
    );
    const renamed = await directory.patch(`/Groups/${group.id}`, [
      { op: 'replace', value: { id: group.id, displayName: 'Test SCIMv0' } },
    ]);
    expect(renamed.status).toBe(204);
    const swapped = await directory.patch(`/Groups/${group.id}`, [
      { op: 'remove', path: `members[value eq "${user.id}"]` },
      { op: 'add', path: 'members', value: [{ value: user.id, display: 'test.user@okta.example' }] },
    ]);
    expect(swapped.status).toBe(204);
    expect(await read(`/Groups/${group.id}`)).toMatchObject({
      displayName: 'Test SCIMv0',
      members: [{ value: user.id }],
    });
    for (const active of [false, true, false]) {
      const changed = await directory.patch(`/Users/${user.id}`, [{ op: 'replace', value: { active } }]);
      expect([changed.status, json<ScimResource>(changed).active]).toEqual([200, active]);
    }
    expect((await read<ScimList>(`/Groups?startIndex=1&count=100`)).totalResults).toBe(1);
  });
});
