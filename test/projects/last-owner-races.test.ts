/** Owners who leave at the same time: one must stay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember } from '../../src/owners/members.ts';
import type { Project, User, Workspace } from '../../src/owners/owner.ts';
import { createProjectPeople } from '../../src/projects/people/project-people.ts';
import { createWorkspacePeople } from '../../src/projects/workspaces/workspace-people.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addProject, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('owners who leave at once on %s', (dialect) => {
  // SQLite has one writer at a time, and few orders.
  const rounds = dialect === 'sqlite' ? 1 : 4;
  let test: TestData;
  let nodes: Pick<TestData, 'data'>[];
  let people: User[];
  beforeAll(async () => {
    test = await openTestData(dialect);
    nodes = [test, await test.openSecond()];
    people = [await addUser(test.data, 'ada'), await addUser(test.data, 'bea')];
  });
  afterAll(() => test.close());

  const actors = () => people.map((user) => ({ kind: 'user', user }) as const);
  const depsOf = ({ data }: Pick<TestData, 'data'>) => ({
    data,
    now: () => 5,
    canSendMail: false,
    wakeOutbox: () => undefined,
  });
  let made = 0;

  type Leave = (node: Pick<TestData, 'data'>, project: Project, leaver: User) => Promise<unknown>;
  it.each<[string, Leave]>([
    [
      'removing themselves',
      (node, project, user) =>
        createProjectPeople(depsOf(node)).remove({ kind: 'user', user }, project, user),
    ],
    [
      'leaving the owner team',
      (node, project, user) =>
        createProjectPeople(depsOf(node)).leaveTeam({ kind: 'user', user }, project, user, 'owner'),
    ],
    [
      'becoming testers',
      (node, project, user) =>
        createProjectPeople(depsOf(node)).change({ kind: 'user', user }, project, user, 'tester'),
    ],
  ])('of a Project, by %s, leave one', async (_, leave) => {
    for (let round = 0; round < rounds; round++) {
      const project = await addProject(test.data, `crew-${made++}`);
      for (const by of actors()) {
        const change = { by, project, user: by.user, at: 1, team: 'owner', notify: false } as const;
        await test.data.transaction((tx) => addMember(tx, change));
      }
      const left = await Promise.allSettled(
        nodes.map((node, index) => leave(node, project, people[index] as User)),
      );
      expect(left.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const teams = await Promise.all(people.map(({ id }) => test.data.owners.teamsOf(project.id, id)));
      expect(teams.filter((of) => of.includes('owner'))).toHaveLength(1);
    }
  });

  it('of a Workspace leave one', async () => {
    for (let round = 0; round < rounds; round++) {
      const name = `harbour-${made++}`;
      const workspace: Workspace = await test.data.owners.insertWorkspace({
        name,
        displayName: name,
        iconUrl: '',
        createdAt: 1,
      });
      for (const { id } of people) await test.data.workspaces.addPerson(workspace.id, id, 'owner');
      const left = await Promise.allSettled(
        nodes.map((node, index) => {
          const user = people[index] as User;
          return createWorkspacePeople(depsOf(node)).remove({ kind: 'user', user }, workspace, user);
        }),
      );
      expect(left.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});
