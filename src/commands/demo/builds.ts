/** Builds: CI uploads most of them from main, release and feature branches; people upload some. */
import { createPackageBuilder } from './app-packages.ts';
import { appPath, apps, type DemoApp, findApp, releaseNotes } from './apps.ts';
import {
  addressOf,
  type Demo,
  type DemoBuild,
  type DemoSubject,
  dayMs,
  daysBefore,
  demoDays,
  hourMs,
} from './demo.ts';
import { send } from './demo-browser.ts';
import { createRandom, type Random } from './random.ts';

interface Upload {
  app: DemoApp;
  branch: string;
  versionName: string;
  versionCode: number;
  message: string;
  commit: string;
  label: string;
  releaseNote: string;
  page: string | null;
  /** The owner of the API key. */
  uploader: string;
  progress: number;
  sizeBytes: number;
  debuggable: boolean;
  addition: { path: string; bytes: number } | null;
}

export const planBuilds: DemoSubject = (endsAt) => {
  const buildPackage = createPackageBuilder();
  return apps.flatMap((app) =>
    planUploads(app, endsAt).map(({ at, upload }) => ({
      at,
      run: async (demo: Demo) => {
        const file = await buildPackage(app, upload);
        await uploadBuild(demo, upload, file);
      },
    })),
  );
};

export function planUploads(app: DemoApp, endsAt: number): { at: number; upload: Upload }[] {
  const random = createRandom(app.id);
  const startsAt = daysBefore(endsAt, demoDays, 8);
  const latestAt = endsAt - app.latestHoursAgo * hourMs;
  const step = (latestAt - startsAt) / app.builds;
  return Array.from({ length: app.builds }, (_, index) => {
    const isLast = index === app.builds - 1;
    const jitter = random.between(0, Math.floor(step / 3));
    const at = isLast
      ? latestAt
      : Math.min(workingHours(startsAt + index * step + jitter), latestAt - 20 * hourMs);
    return { at, upload: planUpload(app, index, isLast, random) };
  });
}

/** Moves a time outside of working hours into them. */
function workingHours(at: number): number {
  const hour = Math.floor((at % dayMs) / hourMs);
  return hour < 7 ? at + (8 - hour) * hourMs : hour > 18 ? at - (hour - 15) * hourMs : at;
}

type Branch = 'main' | 'release' | 'feature';

function planUpload(app: DemoApp, index: number, isLast: boolean, random: Random): Upload {
  const progress = app.builds === 1 ? 1 : index / (app.builds - 1);
  const turn = Math.min(Math.floor(progress * app.versions.length), app.versions.length - 1);
  const version = app.versions[turn] ?? app.versions[0];
  const kind = isLast ? 'release' : branchOf(app, index);
  const [major = '1', minor = '0'] = version.split('.');
  const next = `${major}.${Number(minor) + 1}.0`;
  const feature = app.features[index % Math.max(app.features.length, 1)] ?? 'main';
  const names: Record<Branch, { branch: string; versionName: string; page: string | null }> = {
    main: { branch: 'main', versionName: `${next}-dev`, page: app.pages.main ?? null },
    release: { branch: `release/${major}.${minor}`, versionName: version, page: app.pages.release ?? null },
    feature: {
      branch: feature,
      versionName: `${next}-${feature.split('/')[1] ?? 'next'}`,
      page: app.pages.feature ? feature : null,
    },
  };
  const { messages } = app;
  const { grows, debuggable } = app.checked ?? {};
  const merged = grows?.build === index ? grows.message : null;
  const message = isLast ? messages.at(-1) : messages[index % messages.length];
  return {
    app,
    ...names[kind],
    versionCode: app.firstVersionCode + index,
    message: merged ?? message ?? messages[0],
    commit: random.hex(40),
    label: kind === 'main' ? 'snapshot' : isLast ? 'candidate' : '',
    releaseNote: kind === 'release' ? (releaseNotes[index % releaseNotes.length] ?? '') : '',
    uploader: uploaderOf(app, index, isLast),
    progress,
    sizeBytes: Math.floor(app.sizeBytes * (0.82 + 0.16 * progress + 0.04 * random.next())),
    debuggable: debuggable === index,
    addition: grows && index >= grows.build ? grows : null,
  };
}

function branchOf(app: DemoApp, index: number): Branch {
  if (app.features.length > 0 && index % 6 === 4) return 'feature';
  return app.pages.main && index % 2 === 0 ? 'main' : 'release';
}

function uploaderOf({ owner, ownerKind }: DemoApp, index: number, isLast: boolean): string {
  if (owner === 'pulse') return 'priya';
  if (ownerKind === 'user' || isLast || index % 4 !== 2) return owner;
  if (owner === 'parcel-ops') return 'tomas';
  return index % 8 === 2 ? 'jonas' : 'priya';
}

async function uploadBuild(demo: Demo, upload: Upload, file: Buffer): Promise<void> {
  const { app, page, uploader } = upload;
  const body = new FormData();
  const run = 4000 + upload.versionCode;
  const fields = {
    message: upload.message,
    branch: upload.branch,
    commit: upload.commit,
    label: upload.label,
    build_url: uploader === app.owner ? `https://ci.haldenlabs.example/${app.id}/runs/${run}` : '',
    release_note: upload.releaseNote,
    distribution_name: page ?? '',
    // Only releases are worth an email.
    disable_notify: upload.releaseNote === '' ? 'true' : '',
  };
  for (const [name, value] of Object.entries(fields)) if (value !== '') body.append(name, value);
  const fileName = `${app.id}-${upload.versionCode}.${app.platform === 'android' ? 'apk' : 'ipa'}`;
  body.append('file', new Blob([new Uint8Array(file)]), fileName);
  const response = await send(demo.server, `/api/users/${app.owner}/apps`, {
    method: 'POST',
    from: addressOf(uploader),
    headers: { accept: 'application/json', authorization: `Bearer ${demo.keys.get(uploader)}` },
    body,
  });
  if (response.status !== 200) throw new Error(`${fileName} was refused: ${response.text}`);
  const { results } = JSON.parse(response.text);
  const { branch, versionName } = upload;
  demo.builds.push({ app: app.id, revision: results.revision, branch, versionName });
  if (page) notePage(demo, app, page, new URL(results.distribution.url).pathname.split('/')[2] ?? '');
}

/** Records that a page serves another build from now on. */
export function notePage(demo: Demo, app: DemoApp, name: string, accessKey: string): void {
  const id = `${app.id} ${name}`;
  const updates = (demo.pages.get(id)?.updates ?? 0) + 1;
  const { platform } = app;
  demo.pages.set(id, { app: app.id, name, accessKey, platform, publishedAt: demo.now(), updates });
}

/** Changes to builds by people: they protect an earlier release, and delete an old build. */
export const planBuildChanges: DemoSubject = (endsAt) => {
  const app = findApp('tideline-android');
  const submit = async (demo: Demo, build: DemoBuild | undefined, action: string) => {
    if (!build) throw new Error(`the demo has no build to ${action}`);
    const page = `${appPath(app)}/binaries/${build.revision}`;
    await (await demo.as('jonas')).submit(page, `/${action}`);
  };
  const buildsOf = (demo: Demo, matches: (build: DemoBuild) => boolean) =>
    demo.builds.filter((build) => build.app === app.id && matches(build));
  return [
    {
      at: daysBefore(endsAt, 2, 14),
      run: async (demo) => {
        const releases = buildsOf(demo, ({ branch }) => branch.startsWith('release/'));
        await submit(demo, releases.at(-3), 'protect');
      },
    },
    {
      at: endsAt - 5 * hourMs,
      run: async (demo) => {
        const [first] = buildsOf(demo, ({ branch }) => branch === 'main');
        await submit(demo, first, 'delete');
      },
    },
  ];
};
