/** Three Projects, one of them in a Workspace, with their teams and the API keys of their CI. */
import { type DemoEvent, type DemoSubject, daysBefore, demoDays, hourMs } from './demo.ts';

interface DemoProject {
  name: string;
  description: string;
  /** Whether it belongs to the Workspace. A Project's own key cannot upload to such a Project. */
  inWorkspace: boolean;
  teams: Readonly<Record<'owner' | 'developer' | 'tester', readonly string[]>>;
}

const workspace = { name: 'pulse-health', display_name: 'Pulse Health' };

export const projects: readonly DemoProject[] = [
  {
    name: 'halden-labs',
    description: 'Consumer apps for the coast: tides, gardens and household budgets.',
    inWorkspace: false,
    teams: {
      owner: ['jonas'],
      developer: ['priya', 'tomas', 'kenji'],
      tester: ['lena', 'aisha', 'mateo', 'chloe', 'wanjiru', 'ingrid'],
    },
  },
  {
    name: 'parcel-ops',
    description: 'Apps for drivers and riders. Releases on Tuesdays.',
    inWorkspace: false,
    teams: { owner: ['tomas'], developer: ['nikolai', 'omar'], tester: ['sofia', 'beatriz', 'minh'] },
  },
  {
    name: 'pulse',
    description: 'The patient app of the Pulse clinics.',
    inWorkspace: true,
    teams: { owner: ['priya'], developer: ['minh'], tester: ['aisha', 'chloe', 'omar'] },
  },
];

export const planProjects: DemoSubject = (endsAt) => {
  const startsAt = daysBefore(endsAt, demoDays + 3, 9);
  const createWorkspace: DemoEvent = {
    at: startsAt,
    run: async (demo) => {
      await (await demo.as(demo.administrator)).submit('/workspaces/new', '/workspaces/new', workspace);
    },
  };
  return [
    createWorkspace,
    ...projects.map((project, index) => planProject(project, startsAt + (index + 1) * hourMs)),
  ];
};

function planProject({ name, description, inWorkspace, teams }: DemoProject, at: number): DemoEvent {
  return {
    at,
    run: async (demo) => {
      const browser = await demo.as(demo.administrator);
      await browser.submit('/projects/new', '/projects/new', {
        name,
        description,
        workspace: inWorkspace ? workspace.name : '',
      });
      const members = Object.entries(teams).flatMap(([team, logins]) =>
        logins.map((login) => ({ login, team })),
      );
      for (const member of members)
        await browser.submit(`/organizations/${name}/people`, '/people/add', member);
      if (inWorkspace) return;
      const page = `/organizations/${name}/keys`;
      const fields = { name: 'GitHub Actions', scope: ['upload', 'read'] };
      demo.keys.set(name, shownKey((await browser.submit(page, '/keys/create', fields)).text));
    },
  };
}

/** API keys for uploads from people's own computers. */
export const planPersonalKeys: DemoSubject = (endsAt) =>
  ['maya', 'jonas', 'priya', 'tomas'].map((name, index) => ({
    at: daysBefore(endsAt, demoDays + 2, 9) + index * hourMs,
    run: async (demo) => {
      const browser = await demo.as(name);
      const fields = { name: 'Command line', scope: ['upload', 'read'] };
      demo.keys.set(name, shownKey((await browser.submit('/settings/keys', '/keys/create', fields)).text));
    },
  }));

function shownKey(html: string): string {
  const [key] = /\bslw_[\w-]+/.exec(html) ?? [];
  if (!key) throw new Error('the page does not show the new key');
  return key;
}
