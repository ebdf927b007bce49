/** Changes that people make to the directory of a Workspace: its tokens and email domains. */
import { randomBytes } from 'node:crypto';
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import { hashApiKey } from '../accounts/keys/api-key.ts';
import { conflictingField, Forbidden, invalidField, NotFound } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import { isAdministrator, lockManagedWorkspace } from '../owners/members.ts';
import { parseDomain, type Workspace } from '../owners/owner.ts';
import { recordDirectoryChange } from './change-directory.ts';
import { directoryQueries } from './directory-queries.ts';
import { provisioningTexts } from './provisioning-texts.ts';
import { scimLimits } from './scim/scim.ts';

/** Throw `NotFound` unless `by` owns the Workspace or is an administrator. */
export interface Provisioning {
  /** Returns the token, which is shown once. Throws `conflict` for a taken name, or with too many tokens. */
  createToken(
    by: UserActor,
    workspace: Workspace,
    token: { name: string; expiresAt: number | null },
  ): Promise<{ id: string; token: string }>;
  revokeToken(by: UserActor, workspace: Workspace, id: string): Promise<void>;
  /** For administrators only. Throws `conflict` if a Workspace has the domain. */
  assignDomain(by: UserActor, workspace: Workspace, domain: string): Promise<void>;
  /** For administrators only. */
  removeDomain(by: UserActor, workspace: Workspace, domain: string): Promise<void>;
}

export const maxTokenNameLength = 64;

const prefix = 'slw_scim_';
const t = provisioningTexts;

export function createProvisioning(deps: { data: Data; now: () => number }): Provisioning {
  const { data, now } = deps;
  const change = <Result>(
    by: UserActor,
    workspace: Workspace,
    work: (tx: Connection) => Promise<Result>,
  ): Promise<Result> =>
    data.transaction(async (tx) => {
      await lockManagedWorkspace(tx, by, workspace);
      return work(tx);
    });
  const requireAdministrator = async (tx: Connection, by: UserActor) => {
    if (!(await isAdministrator(tx, by))) throw new Forbidden(t.domains.administrators);
  };
  return {
    createToken: (by, workspace, { name, expiresAt }) =>
      data.refuseDuplicate(
        () =>
          change(by, workspace, async (tx) => {
            const known = await directoryQueries(tx).listTokens(workspace.id);
            if (known.length >= scimLimits.tokens)
              throw conflictingField('name', t.tokens.tooMany({ limit: scimLimits.tokens }));
            const token = prefix + randomBytes(32).toString('base64url');
            const id = await directoryQueries(tx).insertToken({
              workspaceId: workspace.id,
              name,
              tokenHash: hashApiKey(token),
              createdBy: by.user.name,
              expiresAt,
              now: now(),
            });
            await recordDirectoryChange(tx, { by, workspace, at: now() }, 'directory.token-created', name);
            return { id, token };
          }),
        () => conflictingField('name', t.tokens.nameTaken),
      ),
    revokeToken: (by, workspace, id) =>
      change(by, workspace, async (tx) => {
        const name = await directoryQueries(tx).deleteToken(workspace.id, id);
        if (name === null) throw new NotFound();
        await recordDirectoryChange(tx, { by, workspace, at: now() }, 'directory.token-revoked', name);
      }),
    assignDomain: (by, workspace, given) => {
      const domain = checkDomain(given);
      return data.refuseDuplicate(
        () =>
          change(by, workspace, async (tx) => {
            await requireAdministrator(tx, by);
            const known = await directoryQueries(tx).listDomains(workspace.id);
            if (known.includes(domain)) return;
            if (known.length >= scimLimits.domains)
              throw conflictingField('domain', t.domains.tooMany({ limit: scimLimits.domains }));
            await directoryQueries(tx).insertDomain(workspace.id, domain, now());
            await recordDirectoryChange(
              tx,
              { by, workspace, at: now() },
              'directory.domain-assigned',
              domain,
            );
          }),
        () => conflictingField('domain', t.domains.taken),
      );
    },
    removeDomain: (by, workspace, domain) =>
      change(by, workspace, async (tx) => {
        await requireAdministrator(tx, by);
        if (!(await directoryQueries(tx).deleteDomain(workspace.id, domain))) throw new NotFound();
        await recordDirectoryChange(tx, { by, workspace, at: now() }, 'directory.domain-removed', domain);
      }),
  };
}

/** Returns the domain in the form in which addresses are compared. Throws `invalid`. */
export function checkDomain(text: string): string {
  const domain = parseDomain(text);
  if (domain === null) throw invalidField('domain', t.domains.invalid);
  return domain;
}
