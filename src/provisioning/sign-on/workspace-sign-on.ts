/** What the owners of a Workspace decide about its identity provider. */
import type { IdentityProvider } from '../../accounts/saml/identity-provider.ts';
import { readProviderMetadata } from '../../accounts/saml/identity-provider.ts';
import { metadataQueries } from '../../accounts/saml/metadata-queries.ts';
import { fetchMetadata } from '../../accounts/saml/metadata-source.ts';
import { readAttributeMapping } from '../../accounts/saml/saml-config.ts';
import { samlQueries } from '../../accounts/saml/saml-queries.ts';
import type { WorkspaceProvider } from '../../accounts/saml/workspace/workspace-provider.ts';
import { workspaceProviderQueries } from '../../accounts/saml/workspace/workspace-provider-queries.ts';
import { conflict, invalidField, NotFound, reasonOf } from '../../core/errors.ts';
import type { FetchBytes } from '../../core/outbound/fetch-bytes.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { UserActor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { workspaceIssuer, workspaceMetadataPlace } from '../../owners/gate/workspace-gate.ts';
import { lockManagedWorkspace } from '../../owners/members.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceSignOnTexts } from './workspace-sign-on-texts.ts';

export interface ProviderRequest {
  name: string;
  /** Exactly one of the two. */
  metadata: string | null;
  metadataUrl: string | null;
  /** As in `SLIPWAY_SAML_ATTRIBUTES`; null for the usual ones. */
  attributes: string | null;
}

/** Throw `NotFound` unless `by` owns the Workspace or is an administrator, or if the Workspace has no provider. */
export interface WorkspaceSignOnChanges {
  /**
   * Throws `invalid` for metadata that can't be read, and `conflict` for another provider while members must use the current one.
   * People who are signed in there must sign in again before they can require it.
   */
  set(by: UserActor, workspace: Workspace, request: ProviderRequest): Promise<void>;
  /** Throws `conflict` while members must use it. */
  remove(by: UserActor, workspace: Workspace): Promise<void>;
  /** Requires members to sign in there, or stops requiring it. Throws `conflict` unless `by` is signed in there, which proves that it works. */
  require(by: UserActor, workspace: Workspace, isRequired: boolean): Promise<void>;
}

const t = workspaceSignOnTexts.errors;

export function createWorkspaceSignOn(deps: {
  data: Data;
  fetchBytes: FetchBytes;
  now: () => number;
}): WorkspaceSignOnChanges {
  const { data, now } = deps;
  const change = (
    by: UserActor,
    workspace: Workspace,
    action: string,
    work: (tx: Connection, known: WorkspaceProvider | null) => Promise<Record<string, unknown> | null>,
  ) =>
    data.transaction(async (tx) => {
      await lockManagedWorkspace(tx, by, workspace);
      const details = await work(tx, await workspaceProviderQueries(tx).find(workspace.id));
      if (details === null) return;
      const entry = { at: now(), actor: by, action, ownerId: null, subject: workspace.name };
      await auditQueries(tx).record({ ...entry, details });
    });
  return {
    set: async (by, workspace, request) => {
      const { xml, provider } = await readMetadata(deps, request);
      const attributes = checkAttributes(request.attributes);
      const { name, metadataUrl } = request;
      const { entityId } = provider;
      await change(by, workspace, 'workspace.sign-on-set', async (tx, known) => {
        if (known && known.requiredAt !== null && known.entityId !== entityId) throw conflict(t.required);
        const requiredAt = known?.requiredAt ?? null;
        const next = { workspace, name, entityId, metadataUrl, attributes, requiredAt };
        await workspaceProviderQueries(tx).set(next, now());
        await metadataQueries(tx).keep(workspaceMetadataPlace(workspace.id), xml, now());
        // What worked with the earlier metadata proves nothing about these.
        if (requiredAt === null) await samlQueries(tx).forgetSignOns(workspaceIssuer(workspace.id, entityId));
        return { provider: entityId };
      });
    },
    remove: (by, workspace) =>
      change(by, workspace, 'workspace.sign-on-removed', async (tx, known) => {
        if (!known) throw new NotFound(t.none);
        if (known.requiredAt !== null) throw conflict(t.required);
        await workspaceProviderQueries(tx).remove(workspace.id);
        await metadataQueries(tx).remove(workspaceMetadataPlace(workspace.id));
        return { provider: known.entityId };
      }),
    // The gate must not keep owners from turning off a provider that fails.
    require: ({ gate, ...by }, workspace, isRequired) =>
      change(
        by,
        workspace,
        `workspace.sign-on-${isRequired ? 'required' : 'optional'}`,
        async (tx, known) => {
          if (!known) throw new NotFound(t.none);
          if ((known.requiredAt !== null) === isRequired) return null;
          const issuer = workspaceIssuer(workspace.id, known.entityId);
          if (isRequired && !gate?.signOns.includes(issuer))
            throw conflict(t.signInFirst({ provider: known.name }));
          await workspaceProviderQueries(tx).set({ ...known, requiredAt: isRequired ? now() : null }, now());
          return { provider: known.entityId };
        },
      ),
  };
}

async function readMetadata(
  deps: Parameters<typeof fetchMetadata>[0],
  { metadata, metadataUrl: url }: ProviderRequest,
): Promise<{ xml: string; provider: IdentityProvider }> {
  if ((metadata === null) === (url === null)) throw invalidField('metadata', t.oneSource);
  const field = url === null ? 'metadata' : 'metadata_url';
  try {
    if (url !== null) {
      const { protocol, username, hash } = new URL(url);
      if (!/^https?:$/.test(protocol) || username || hash) throw new Error('not an address of metadata');
      return await fetchMetadata(deps, url);
    }
    const xml = metadata ?? '';
    return { xml, provider: readProviderMetadata(Buffer.from(xml), deps.now()) };
  } catch (error) {
    throw invalidField(field, t.metadata({ reason: reasonOf(error) }));
  }
}

function checkAttributes(text: string | null): string | null {
  if (text === null) return null;
  try {
    readAttributeMapping(text);
    return text;
  } catch {
    throw invalidField('attributes', t.attributes);
  }
}
