/** Sign-in at the providers of Workspaces, which are in the database. */
import { addWorkspacePerson, lockWorkspace } from '../../../owners/members.ts';
import type { Workspace } from '../../../owners/owner.ts';
import type { AdmissionRulesOfProvider } from '../../single-sign-on/single-sign-on.ts';
import { createWorkspaceSignOn, type SamlParts, type SamlSignOn } from '../saml-sign-on-http.ts';
import type { WorkspaceProvider } from './workspace-provider.ts';
import { workspaceProviderQueries } from './workspace-provider-queries.ts';

export interface WorkspaceSignOns {
  /** The provider of the Workspace with that name; null if there is none. */
  find(workspace: string): Promise<SamlSignOn | null>;
  /** Those that identities of these issuers belong to. */
  listOf(issuers: readonly string[]): Promise<SamlSignOn[]>;
}

/** Limits the accounts that a provider can create, as for a directory. */
const maxProviderAccounts = 20_000;

export function createWorkspaceSignOns(deps: SamlParts): WorkspaceSignOns {
  const queries = workspaceProviderQueries(deps.data);
  const toSignOn = (provider: WorkspaceProvider) =>
    createWorkspaceSignOn(provider, { ...deps, rules: rulesOf(provider.workspace) });
  return {
    find: async (workspace) => {
      const provider = await queries.findByName(workspace);
      return provider && toSignOn(provider);
    },
    listOf: async (issuers) => (await queries.listOfIssuers(issuers)).map(toSignOn),
  };
}

/**
 * The owners of a Workspace choose its provider, so it could name anyone. It may only speak for accounts that belong to the
 * Workspace: those that it or the directory of the Workspace created, and those with a confirmed address in a domain that an
 * administrator assigned to the Workspace; never for administrators. Everyone else is signed in here first.
 */
function rulesOf(workspace: Pick<Workspace, 'id' | 'name'>): AdmissionRulesOfProvider {
  const { id } = workspace;
  return {
    vouchesFor: async (connection, user) => {
      const queries = workspaceProviderQueries(connection);
      const claims = await queries.findClaims(id, user.id);
      if (!claims || claims.isAdministrator) return false;
      const { confirmedEmail, made } = claims;
      return made || (confirmedEmail !== null && (await queries.hasDomainOf(id, confirmedEmail)));
    },
    addressOf: async (tx, { email }) =>
      email === null
        ? null
        : { email, isConfirmed: await workspaceProviderQueries(tx).hasDomainOf(id, email) },
    refusalOf: async (tx) =>
      (await workspaceProviderQueries(tx).countAccounts(id)) >= maxProviderAccounts ? 'full' : null,
    record: async (tx, user, at) => {
      await workspaceProviderQueries(tx).recordAccount(id, user.id, at);
      await lockWorkspace(tx, workspace);
      const change = { by: 'single-sign-on', workspace, user, role: 'member', notify: false, at } as const;
      await addWorkspacePerson(tx, change);
    },
  };
}
