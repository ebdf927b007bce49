/** Changes the groups of an owner. Each change is one transaction with an audit log entry. */
import type { UserActor } from '../../accounts/invitations/invite-user.ts';
import { conflictingField, invalidField, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { type Group, maxGroupsOfOwner, maxManagersOfGroup, maxPeopleOfGroup } from '../../owners/group.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { maxLoginLength, type Owner, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { requireAllowedEmail } from '../../owners/policies/enforce-policies.ts';
import { findPerson, type PersonReference } from '../../owners/removals.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { groupTexts } from './group-texts.ts';

export interface GroupChange {
  by: UserActor;
  owner: Owner;
}

/** Throws `NotFound` for a group that does not exist. */
export interface Groups {
  /** Throws `conflict` if the name is taken or the owner has too many groups. Returns the id. */
  create(change: GroupChange, name: string): Promise<string>;
  /** Throws `conflict` if the name is taken. */
  rename(change: GroupChange, groupId: string, name: string): Promise<void>;
  remove(change: GroupChange, groupId: string): Promise<void>;
  /**
   * `login`: name or email address of a person with access to an app of the owner. Throws `invalid` for anyone else, and
   * `conflict` if the group is full.
   */
  addPerson(change: GroupChange, groupId: string, login: string): Promise<'added' | 'already'>;
  /**
   * A manager may add people to the group and remove them. `login`: any person with an account. Throws `invalid` without one, and
   * `conflict` with too many managers.
   */
  addManager(change: GroupChange, groupId: string, login: string): Promise<'added' | 'already'>;
  removeManager(change: GroupChange, groupId: string, person: PersonReference): Promise<void>;
  /** Links to the group that exist now no longer admit the person. */
  removePerson(change: GroupChange, groupId: string, person: PersonReference): Promise<void>;
}

const t = groupTexts.errors;

export function createGroups({ data, now }: { data: Data; now: () => number }): Groups {
  const inGroup = <T>(
    { owner }: GroupChange,
    groupId: string,
    work: (tx: Connection, group: Group) => Promise<T>,
  ) =>
    data.transaction(async (tx) => {
      await groupQueries(tx).lockOwner(owner.id);
      const group = await groupQueries(tx).findGroup(owner.id, groupId);
      if (!group) throw new NotFound();
      return work(tx, group);
    });
  const record = (tx: Connection, { by, owner }: GroupChange, action: string, subject: string) =>
    auditQueries(tx).record({ at: now(), actor: by, action, ownerId: owner.id, subject });
  const refuseTaken = <T>(work: () => Promise<T>) =>
    data.refuseDuplicate(work, () => conflictingField('name', t.nameTaken));
  return {
    create: (change, name) =>
      refuseTaken(() =>
        data.transaction(async (tx) => {
          const { owner } = change;
          await groupQueries(tx).lockOwner(owner.id);
          const known = await groupQueries(tx).listGroups(owner.id);
          if (known.length >= maxGroupsOfOwner)
            throw conflictingField('name', t.tooMany({ limit: maxGroupsOfOwner }));
          const id = await groupQueries(tx).insertGroup({ ownerId: owner.id, name, now: now() });
          await record(tx, change, 'group.made', name);
          return id;
        }),
      ),
    rename: (change, groupId, name) =>
      refuseTaken(() =>
        inGroup(change, groupId, async (tx, group) => {
          if (group.name === name) return;
          await groupQueries(tx).renameGroup(groupId, name);
          await record(tx, change, 'group.renamed', `${group.name}: ${name}`);
        }),
      ),
    remove: (change, groupId) =>
      inGroup(change, groupId, async (tx, group) => {
        await groupQueries(tx).deleteGroup(groupId);
        await record(tx, change, 'group.deleted', group.name);
      }),
    addPerson: (change, groupId, login) =>
      inGroup(change, groupId, async (tx, group) => {
        const user = await findByLogin(tx, login);
        // People without access get the same answer as people without an account.
        if (!user || !(await groupQueries(tx).hasAccess(change.owner, user.id)))
          throw invalidField('login', t.unknown);
        if (group.people >= maxPeopleOfGroup)
          throw conflictingField('login', t.full({ limit: maxPeopleOfGroup }));
        if (!(await groupQueries(tx).addPerson(groupId, user.id, now(), change.by.user.name)))
          return 'already';
        await record(tx, change, 'group.joined', `${user.name}: ${group.name}`);
        return 'added';
      }),
    addManager: (change, groupId, login) =>
      inGroup(change, groupId, async (tx, group) => {
        const user = await findByLogin(tx, login);
        if (!user) throw invalidField('login', t.unknownManager);
        if (change.owner.kind === 'project')
          await requireAllowedEmail(tx, { kind: 'project', id: change.owner.id }, user);
        const managers = await groupQueries(tx).listManagers(groupId);
        if (managers.some(({ id }) => id === user.id)) return 'already';
        if (managers.length >= maxManagersOfGroup)
          throw conflictingField('login', t.tooManyManagers({ limit: maxManagersOfGroup }));
        await groupQueries(tx).addManager(groupId, user.id, now());
        await record(tx, change, 'group.manager-added', `${user.name}: ${group.name}`);
        return 'added';
      }),
    removeManager: (change, groupId, reference) =>
      inGroup(change, groupId, async (tx, group) => {
        const person = await findPerson(tx, reference);
        if (!person || !('id' in person) || !(await groupQueries(tx).removeManager(groupId, person.id)))
          throw new NotFound();
        await record(tx, change, 'group.manager-removed', `${person.name}: ${group.name}`);
      }),
    removePerson: (change, groupId, reference) =>
      inGroup(change, groupId, async (tx, group) => {
        const person = await findPerson(tx, reference);
        if (!person || !('id' in person) || !(await groupQueries(tx).removePerson(groupId, person.id)))
          throw new NotFound();
        await teamQueries(tx).excludeFromLinks({ kind: 'group', id: groupId }, person.id);
        await record(tx, change, 'group.left', `${person.name}: ${group.name}`);
      }),
  };
}

async function findByLogin(tx: Connection, login: string): Promise<User | null> {
  if (login === '' || login.length > maxLoginLength) return null;
  return ownerQueries(tx).findAddressee(login);
}
