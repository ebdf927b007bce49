/** The people of a directory. Each change is one transaction, which locks the Workspace. */
import { randomBytes } from 'node:crypto';
import { accountStateQueries } from '../../accounts/access/account-state-queries.ts';
import { limitNewAccount } from '../../accounts/profile/create-account.ts';
import { workspaceProviderQueries } from '../../accounts/saml/workspace/workspace-provider-queries.ts';
import { identityQueries } from '../../accounts/single-sign-on/identity-queries.ts';
import { suggestUserName, userNameForAttempt } from '../../accounts/single-sign-on/single-sign-on.ts';
import { NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { removeWorkspacePerson } from '../../owners/members.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { Quota } from '../../owners/quota.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import {
  changeDirectory,
  type DirectoryChange,
  type Expected,
  requireExpected,
} from '../change-directory.ts';
import { type CoveredPerson, deactivate, reactivate } from '../deactivation.ts';
import { revokeMemberships } from '../group-mapping.ts';
import { groupMappingQueries } from '../group-mapping-queries.ts';
import {
  type Coverage,
  type Directory,
  type ListRequest,
  type ListResult,
  notUnique,
  ScimError,
  type ScimUser,
  scimLimits,
  type UserAttributes,
} from './scim.ts';
import { scimGroupQueries } from './scim-group-queries.ts';
import { isAssignedTo, moveAddress } from './scim-user-address.ts';
import { scimUserQueries } from './scim-user-queries.ts';

/** Throw `NotFound`, `precondition_failed`, or a `ScimError`. */
export interface ScimUsers {
  find(directory: Directory, id: string): Promise<ScimUser>;
  list(directory: Directory, request: ListRequest): Promise<ListResult<ScimUser>>;
  create(directory: Directory, attributes: UserAttributes): Promise<ScimUser>;
  change(
    directory: Directory,
    id: string,
    expected: Expected,
    changeOf: (user: ScimUser) => UserAttributes,
  ): Promise<ScimUser>;
  /** Deactivates the person, and forgets what the directory said about them. */
  remove(directory: Directory, id: string, expected: Expected): Promise<void>;
}

export interface ScimDeps {
  data: Data;
  /** Limits of new accounts; null for none. */
  signUpQuota: Quota | null;
  now: () => number;
  wakeOutbox: () => void;
}

/** Attempts to find a free name for the account; later attempts add random digits. */
const maxAttempts = 8;

export function createScimUsers(deps: ScimDeps): ScimUsers {
  const { data } = deps;
  const find = async (on: Connection, { workspace }: Directory, id: string) => {
    const user = await scimUserQueries(on).find(workspace.id, id);
    if (!user) throw new NotFound(`there is no user ${id.slice(0, 64)}`);
    return user;
  };
  return {
    find: (directory, id) => find(data, directory, id),
    list: ({ workspace }, request) => scimUserQueries(data).list(workspace.id, request),
    create: async (directory, attributes) => {
      const name = suggestUserName([attributes.userName, attributes.email?.value ?? '']);
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const tried = userNameForAttempt(name, attempt, randomBytes(2).toString('hex'));
        const taken = notUnique(`no name like ${name} is available for the account`);
        const id = await data
          .refuseDuplicate(
            () => changeDirectory(deps, directory, (change) => create(change, tried, attributes, deps)),
            () => taken,
          )
          .catch((error: unknown) => {
            if (error !== taken) throw error;
            return null;
          });
        if (id !== null) return find(data, directory, id);
      }
      throw notUnique(`no name like ${name} is available for the account`);
    },
    change: (directory, id, expected, changeOf) =>
      data.refuseDuplicate(
        () =>
          changeDirectory(deps, directory, async (change) => {
            const before = await find(change.tx, directory, id);
            requireExpected(expected, before.version);
            const changed = await update(change, before, changeOf(before));
            return changed ? find(change.tx, directory, id) : before;
          }),
        () => notUnique('another user has the userName or the address'),
      ),
    remove: (directory, id, expected) =>
      changeDirectory(deps, directory, async (change) => {
        const user = await find(change.tx, directory, id);
        requireExpected(expected, user.version);
        await remove(change, user);
      }),
  };
}

/** Returns the id. */
async function create(
  change: DirectoryChange,
  name: string,
  attributes: UserAttributes,
  deps: ScimDeps,
): Promise<string> {
  const { tx, workspace, at } = change;
  const queries = scimUserQueries(tx);
  await requireFreeName(change, attributes.userName, null);
  if ((await queries.count(workspace.id)) >= scimLimits.users)
    throw new ScimError('tooMany', `the directory has ${scimLimits.users} users, which is the limit`);
  const address = attributes.email?.value ?? null;
  const isAssigned = address !== null && (await isAssignedTo(tx, workspace.id, address));
  const known = address === null ? null : await identityQueries(tx).findHolderOfEmail(address);
  const person: CoveredPerson = known
    ? { user: known, ...(await adopt(change, known, isAssigned)) }
    : await makeAccount(change, { name, address, isAssigned }, deps);
  const { user } = person;
  await queries.insert(workspace.id, user.id, attributes, { ...person, now: at });
  if (known) await recordUser(change, user, 'directory.user-added');
  let disabledAccount = false;
  if (!attributes.active) disabledAccount = await deactivate(change, person);
  else disabledAccount = await reactivate(change, person);
  if (disabledAccount !== person.disabledAccount)
    await queries.insert(workspace.id, user.id, attributes, { ...person, disabledAccount, now: at });
  return user.id;
}

async function makeAccount(
  { tx, by, workspace, at }: DirectoryChange,
  { name, address, isAssigned }: { name: string; address: string | null; isAssigned: boolean },
  { signUpQuota }: ScimDeps,
): Promise<CoveredPerson> {
  const user = await ownerQueries(tx).insertUser({
    name,
    email: address,
    // The administrator who assigned the domain trusts the Workspace with its addresses.
    emailConfirmed: isAssigned,
    passwordHash: null,
    administrator: false,
    createdAt: at,
  });
  await limitNewAccount(tx, user, { invitation: null, quota: signUpQuota });
  const entry = { at, actor: by, action: 'user.made', ownerId: user.id, subject: name };
  await auditQueries(tx).record({ ...entry, details: { workspace: workspace.name } });
  return { user, covers: 'account', disabledAccount: false };
}

/**
 * Decides whether the directory may manage an existing account. An address alone proves nothing: the directory could otherwise
 * take over the account of anyone. Throws `uniqueness`.
 */
async function adopt(
  { tx, workspace }: DirectoryChange,
  user: User,
  isAssigned: boolean,
): Promise<{ covers: Coverage; disabledAccount: boolean }> {
  const queries = scimUserQueries(tx);
  const entry = await queries.findEntry(workspace.id, user.id);
  if (entry && !entry.deleted) throw notUnique('a user of this directory has the address');
  const isCovered = user.administrator || (await queries.isAccountCovered(user.id));
  const coverage = (covers: Coverage) => ({
    covers: isCovered ? ('workspace' as const) : covers,
    disabledAccount: entry?.disabledAccount ?? false,
  });
  if (entry?.covers === 'account') return coverage('account');
  const claims = await workspaceProviderQueries(tx).findClaims(workspace.id, user.id);
  if (claims?.made) return coverage('account');
  if (!user.emailConfirmed)
    throw notUnique('an account has the address, but its holder has not confirmed that it is theirs');
  if (isAssigned) return coverage('account');
  if (entry || (await workspaceQueries(tx).hasPerson(workspace.id, user.id))) return coverage('workspace');
  throw notUnique(
    'an account outside the Workspace has the address: an administrator must assign its domain to the Workspace, or the person must join one of its Projects',
  );
}

async function requireFreeName(
  { tx, workspace }: DirectoryChange,
  userName: string,
  exceptId: string | null,
) {
  if (await scimUserQueries(tx).hasUserName(workspace.id, userName, exceptId))
    throw notUnique(`another user has the userName ${userName}`);
}

const attributesOf = ({
  userName,
  externalId,
  displayName,
  formattedName,
  givenName,
  familyName,
  email,
  active,
}: UserAttributes): UserAttributes => ({
  userName,
  externalId,
  displayName,
  formattedName,
  givenName,
  familyName,
  email: email && { value: email.value, type: email.type },
  active,
});

/** Returns whether anything changed. */
async function update(change: DirectoryChange, before: ScimUser, after: UserAttributes): Promise<boolean> {
  const { tx, workspace, at } = change;
  const attributes = (user: UserAttributes, active: boolean) =>
    JSON.stringify({ ...attributesOf(user), active });
  if (attributes(before, before.active) === attributes(after, after.active)) return false;
  await requireFreeName(change, after.userName, before.id);
  const user = await requireUser(tx, before.id);
  if (after.email && after.email.value !== before.email?.value)
    await moveAddress(change, { user, covers: before.covers }, after.email.value);
  const held = { user, covers: before.covers, disabledAccount: before.disabledAccount };
  let { disabledAccount } = before;
  if (before.active && !after.active) disabledAccount = await deactivate(change, held);
  await scimUserQueries(tx).update(workspace.id, before.id, after, { disabledAccount, now: at });
  if (!before.active && after.active) {
    const isDisabled = await reactivate(change, held);
    if (isDisabled !== disabledAccount)
      await scimUserQueries(tx).update(workspace.id, before.id, after, {
        disabledAccount: isDisabled,
        now: at,
      });
  }
  // A deactivation has an entry already.
  if (
    attributes(before, after.active) !== attributes(after, after.active) ||
    (after.active && !before.active)
  )
    await recordUser(change, user, 'directory.user-changed');
  return true;
}

async function remove(change: DirectoryChange, before: ScimUser): Promise<void> {
  const { tx, workspace, at } = change;
  const user = await requireUser(tx, before.id);
  const held = { user, covers: before.covers, disabledAccount: before.disabledAccount };
  const disabledAccount = before.active ? await deactivate(change, held) : before.disabledAccount;
  const grants = await groupMappingQueries(tx).grantsOf(workspace.id, user.id);
  await revokeMemberships(tx, change, grants, [user.id]);
  await scimGroupQueries(tx).removeFromAll(workspace.id, user.id);
  await removeWorkspacePerson(tx, { by: change.by, workspace, user, at, leaves: ['member'] });
  await scimUserQueries(tx).remove(workspace.id, user.id, disabledAccount, at);
  await recordUser(change, user, 'directory.user-removed');
}

/** Locks the account. */
async function requireUser(tx: Connection, id: string): Promise<User> {
  const account = await accountStateQueries(tx).lock(id);
  const user = account && (await ownerQueries(tx).findOwnerById(id));
  if (user?.kind !== 'user') throw new NotFound(`there is no user ${id}`);
  return user;
}

const recordUser = ({ tx, by, workspace, at }: DirectoryChange, user: User, action: string) =>
  auditQueries(tx).record({
    at,
    actor: by,
    action,
    ownerId: null,
    subject: `${user.name}: ${workspace.name}`,
  });
