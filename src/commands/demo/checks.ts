/** Checks: the budget and the store of one app, a growth that people accept with a reason, and a build that fails. */
import { appPath, findApp } from './apps.ts';
import { planUploads } from './builds.ts';
import { type Demo, type DemoSubject, hourMs } from './demo.ts';

const app = findApp('tideline-android');

/** Builds whose growth is accepted, by their distance from the first that grew: that of `main`, and the release with it. */
const acceptances = [
  {
    after: 0,
    by: 'priya',
    reason: 'Charts must open at sea. The tiles are 180 KB for all harbors, agreed in #1271.',
  },
  { after: 1, by: 'jonas', reason: 'First release with the tiles of #1271. The budget stays as it is.' },
];

const checksPath = (revision: number) => `${appPath(app)}/binaries/${revision}/checks`;

export const planChecks: DemoSubject = (endsAt) => {
  const { checked } = app;
  if (!checked) throw new Error('the demo has no app with checks');
  const times = planUploads(app, endsAt).map(({ at }) => at);
  const atBuild = (index: number) => (times[index] ?? endsAt) + hourMs;
  return [
    {
      at: atBuild(0),
      run: async (demo) => {
        await (await demo.as('jonas')).submit(`${appPath(app)}/settings/checks`, '/checks/save', {
          destination: ['google_play'],
          'warn-bytes': '30 KB',
          'fail-bytes': '100 KB',
          'fail-percent': '10',
        });
      },
    },
    ...acceptances.map(({ after, by, reason }) => ({
      at: atBuild(checked.grows.build + after),
      run: (demo: Demo) => acceptGrowth(demo, checked.grows.build + after + 1, { by, reason }),
    })),
  ];
};

async function acceptGrowth(
  demo: Demo,
  revision: number,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  await demo.settle();
  const browser = await demo.as(by);
  for (const check of ['download-growth-previous', 'install-growth-previous'])
    await browser.submit(checksPath(revision), `/checks/${check}/accept`, { reason });
}

/** Pages to look at first: a build that fails, and one whose growth was accepted. */
export const checkPlaces = [
  { title: 'A failed check', path: checksPath((app.checked?.debuggable ?? 0) + 1) },
  { title: 'An accepted growth', path: checksPath((app.checked?.grows.build ?? 0) + 1) },
];
