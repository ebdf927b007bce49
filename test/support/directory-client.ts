/** A directory that provisions a Workspace of a test service over SCIM. */
import { hashApiKey } from '../../src/accounts/keys/api-key.ts';
import { directoryQueries } from '../../src/provisioning/directory-queries.ts';
import { type Answer, json, send } from './http-client.ts';
import type { TestService } from './test-service.ts';

export interface ScimResource {
  id: string;
  schemas: string[];
  active: boolean;
  userName: string;
  displayName: string;
  externalId?: string;
  name?: { formatted?: string; familyName?: string; givenName?: string };
  emails?: { value: string; type?: string; primary?: boolean }[];
  members?: { value: string; display: string; $ref: string }[];
  meta: { version: string; location: string; resourceType: string; created: string; lastModified: string };
}
export interface ScimList {
  schemas: string[];
  totalResults: number;
  startIndex: number;
  itemsPerPage: number;
  Resources: ScimResource[];
}

export interface DirectoryClient {
  token: string;
  workspaceId: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  create(kind: 'Users' | 'Groups', body: object): Promise<ScimResource>;
  list(path: string): Promise<ScimList>;
  patch(path: string, operations: readonly object[]): Promise<Answer>;
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** `name`: an existing Workspace. */
export async function openDirectory(
  slipway: Pick<TestService, 'data' | 'port'>,
  name: string,
  { port = slipway.port, token: tokenName = 'okta' } = {},
): Promise<DirectoryClient> {
  const workspace = await slipway.data.owners.findWorkspace(name);
  if (!workspace) throw new Error(`there is no Workspace ${name}`);
  const token = `slw_scim_${name}_${tokenName}_0123456789`;
  const row = { workspaceId: workspace.id, name: tokenName, createdBy: 'admin', expiresAt: null, now: 1 };
  await directoryQueries(slipway.data).insertToken({ ...row, tokenHash: hashApiKey(token) });
  const call: DirectoryClient['call'] = (method, path, body, headers = {}) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return send(port, `/scim/v2/${name}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/scim+json',
        ...(text === undefined
          ? {}
          : { 'Content-Type': 'application/scim+json', 'Content-Length': String(Buffer.byteLength(text)) }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
  };
  return {
    token,
    workspaceId: workspace.id,
    call,
    create: async (kind, body) => {
      const schemas = [kind === 'Users' ? userSchema : groupSchema];
      const answer = await call('POST', `/${kind}`, { schemas, ...body });
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
      return json<ScimResource>(answer);
    },
    list: async (path) => json<ScimList>(await call('GET', path)),
    patch: (path, operations) => call('PATCH', path, { schemas: [patchSchema], Operations: operations }),
  };
}
