/** Groups of testers, people with access to an app of a User, and the retention rule of an app. */
import { appPath, findApp } from './apps.ts';
import { type DemoSubject, daysBefore } from './demo.ts';

const groups = { QA: ['lena', 'aisha', 'mateo'], 'Field testers': ['chloe', 'wanjiru', 'ingrid'] };

export const planGroups: DemoSubject = (endsAt) =>
  Object.entries(groups).map(([name, people], index) => ({
    at: daysBefore(endsAt, 40 - index, 14),
    run: async (demo) => {
      const browser = await demo.as('jonas');
      const page = '/organizations/halden-labs/groups';
      const created = await browser.submit(page, '/groups/create', { name });
      const group = created.headers.get('location')?.split('?')[0] ?? '';
      await browser.submit(group, '/add', { login: people.join('\n') });
    },
  }));

export const planInviteLinks: DemoSubject = (endsAt) => [
  {
    at: daysBefore(endsAt, 3, 9),
    run: async (demo) => {
      const page = '/organizations/halden-labs/invite-links';
      const fields = { name: 'Sailing club, spring regatta', days: '30', max_people: '25' };
      await (await demo.as('jonas')).submit(page, '/invite-links/create', fields);
    },
  },
];

export const planTesters: DemoSubject = (endsAt) =>
  ['lena', 'ingrid', 'mateo'].map((login, index) => ({
    at: daysBefore(endsAt, 30 - index, 15),
    run: async (demo) => {
      const page = `${appPath(findApp('fieldnotes-android'))}/people`;
      await (await demo.as('maya')).submit(page, '/people/add', { login });
    },
  }));

export const planRetention: DemoSubject = (endsAt) => [
  {
    at: daysBefore(endsAt, 25, 15),
    run: async (demo) => {
      // The preview contains the form that saves the rule.
      const preview = `${appPath(findApp('courier-android'))}/retention?keep=some&newest=100&days=180`;
      await (await demo.as('tomas')).submit(preview, '/retention/save');
    },
  },
];
