/** The identity provider of a Workspace in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { workspaceSamlPaths } from '../../accounts/profile/account-paths.ts';
import { metadataQueries } from '../../accounts/saml/metadata-queries.ts';
import { addressesOf } from '../../accounts/saml/saml-sign-on-http.ts';
import { workspaceProviderQueries } from '../../accounts/saml/workspace/workspace-provider-queries.ts';
import { maxXmlBytes } from '../../accounts/saml/xml-document.ts';
import { maxProviderNameLength } from '../../accounts/single-sign-on/single-sign-on-config.ts';
import { NotFound } from '../../core/errors.ts';
import { nameField } from '../../core/name-text.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { workspaceMetadataPlace } from '../../owners/gate/workspace-gate.ts';
import type { Workspace } from '../../owners/owner.ts';
import { maxAttributesLength, maxMetadataUrlLength } from './workspace-sign-on-page.tsx';
import { setProviderLimit, type WorkspaceSignOnRouteDeps } from './workspace-sign-on-routes.ts';
import { workspaceSignOnTexts } from './workspace-sign-on-texts.ts';

const path = '/api/v1/workspaces/:workspace/single-sign-on';
const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()));
const timeJson = (at: number | null) => (at === null ? null : new Date(at).toISOString());

const providerShape = v.pipe(
  v.object({
    name: v.string(),
    entity_id: v.string(),
    metadata_url: v.nullable(v.string()),
    attributes: v.nullable(v.string()),
    metadata_read_at: time,
    metadata_problem: v.pipe(
      v.nullable(v.string()),
      v.description('Why the last attempt to read it failed.'),
    ),
    required_since: v.pipe(time, v.description('Since when members must sign in there.')),
    service_provider: v.object({ entity_id: v.string(), acs: v.string(), logout: v.string() }),
  }),
  v.title('IdentityProvider'),
);
const optionalText = (maxLength: number) =>
  v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(maxLength))), null);

export function workspaceSignOnApiRoutes(deps: WorkspaceSignOnRouteDeps & { access: RouteAccess }): Route[] {
  const { data, workspaceSignOn } = deps;
  const access = deps.access.byUserKey(deps.ownerAccess.workspaceOwnerOrAdministrator);
  const shared = { tag: 'Workspaces', access, path } as const;
  const show = async (workspace: Workspace) => {
    const provider = await workspaceProviderQueries(data).find(workspace.id);
    if (!provider) throw new NotFound(workspaceSignOnTexts.errors.none);
    const kept = await metadataQueries(data).find(workspaceMetadataPlace(workspace.id));
    const { entityId, acs, logout } = addressesOf(deps.publicUrl ?? '', workspaceSamlPaths(workspace.name));
    return json({
      name: provider.name,
      entity_id: provider.entityId,
      metadata_url: provider.metadataUrl,
      attributes: provider.attributes,
      metadata_read_at: timeJson(kept?.readAt ?? null),
      metadata_problem: kept?.problem ?? null,
      required_since: timeJson(provider.requiredAt),
      service_provider: { entity_id: entityId, acs, logout },
    });
  };
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      keyScope: 'read',
      operationId: 'getIdentityProvider',
      summary: 'Show the SAML identity provider of a Workspace',
      answer: providerShape,
      handle: ({ subject }) => show(subject),
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      keyScope: 'manage',
      rateLimit: setProviderLimit,
      maxBodyBytes: 3 * maxXmlBytes,
      operationId: 'setIdentityProvider',
      summary: 'Set the SAML identity provider of a Workspace',
      description: 'With either `metadata`, in XML, or `metadata_url`, which is fetched again every hour.',
      json: {
        name: nameField(maxProviderNameLength),
        metadata: optionalText(maxXmlBytes),
        metadata_url: optionalText(maxMetadataUrlLength),
        attributes: optionalText(maxAttributesLength),
      },
      answer: providerShape,
      handle: async ({ caller, subject, json: { metadata_url: metadataUrl, ...given } }) => {
        await workspaceSignOn.set(caller.actor, subject, { ...given, metadataUrl });
        return show(subject);
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      keyScope: 'manage',
      operationId: 'removeIdentityProvider',
      summary: 'Remove the SAML identity provider of a Workspace',
      handle: async ({ caller, subject }) => {
        await workspaceSignOn.remove(caller.actor, subject);
        return empty(204);
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/requirement`,
      method: 'POST',
      keyScope: 'manage',
      operationId: 'requireIdentityProvider',
      summary:
        'Require the members of a Workspace to sign in with its identity provider, or stop requiring it',
      description:
        'To require it, use a key that was created in a session that is signed in there, which proves that it works.',
      json: { required: v.boolean() },
      answer: providerShape,
      handle: async ({ caller, subject, json: { required } }) => {
        await workspaceSignOn.require(caller.actor, subject, required);
        return show(subject);
      },
    }),
  ];
}
