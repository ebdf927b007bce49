/** An App with builds and users, and the forms of its build actions as a browser sends them. */
import { type BrowserSession, signIn } from './browser-session.ts';
import { buildApk } from './build-apk.ts';
import { formBody } from './form-body.ts';
import { send } from './http-client.ts';
import { type UploadResult, uploaded } from './interface-client.ts';
import { formOf } from './page-forms.ts';
import { addApp } from './sample-rows.ts';
import { startTestService, type TestService, type TestServiceOptions } from './test-service.ts';

export const packageName = 'com.example.tides';
export const ownerName = 'tides';
const pathOf = (name: string) => `/users/${ownerName}/platforms/android/apps/${name}`;
export const appPath = pathOf(packageName);
export const buildPath = (revision: number) => `${appPath}/binaries/${revision}`;

export interface BuildKit {
  slipway: TestService;
  /** A member of the Project's developer team. */
  dev: BrowserSession;
  devKey: string;
  packageName: string;
  appPath: string;
  buildPath(revision: number): string;
  /** Another App of the same Project, without builds. */
  newApp(): BuildKit;
  now(): number;
  /** Advances the clock. */
  pass(ms: number): void;
  upload(options?: {
    fields?: Record<string, string>;
    headers?: Record<string, string>;
  }): Promise<UploadResult>;
  /** Submits a form of the page at `path` with changed fields; null removes one. */
  submit(
    path: string,
    act: string,
    changes?: Record<string, string | null>,
    by?: BrowserSession,
  ): Promise<{ status: number; location: string; text: string }>;
  /** Posts the fields unchanged, with the form token of the session. */
  post(
    path: string,
    fields: Record<string, string | readonly string[]>,
    by?: BrowserSession,
  ): Promise<{ status: number; text: string; location: string }>;
  appId(): Promise<string>;
  /** Adds builds without packages. */
  addBuilds(count: number): Promise<void>;
  /** Revisions that are not deleted, newest first. */
  revisions(): Promise<number[]>;
  close(): Promise<void>;
}

/** A Project with a developer, a tester and an owner; `dora` is signed in as developer. */
export async function startBuildKit(options: TestServiceOptions = {}): Promise<BuildKit> {
  let clock = Date.UTC(2026, 10, 21);
  const slipway = await startTestService({ blobs: 'memory', now: () => clock, ...options });
  await slipway.user('otto');
  const key = await slipway.user('dora');
  for (const name of ['tess', 'sam']) await slipway.user(name);
  await slipway.project(ownerName, { members: { otto: 'owner', dora: 'developer', tess: 'tester' } });
  const dev = await signIn(slipway, 'dora');
  const tokens = new WeakMap<BrowserSession, Promise<string>>();
  const tokenOf = (session: BrowserSession) => {
    const token = tokens.get(session) ?? readToken(session);
    tokens.set(session, token);
    return token;
  };
  const post: BuildKit['post'] = async (path, fields, by = dev) => {
    const answer = await send(slipway.port, path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'text/html',
        Cookie: by.cookie,
      },
      body: formBody({ csrf: await tokenOf(by), ...fields }).toString(),
    });
    return { status: answer.status, text: answer.text, location: answer.headers.location ?? '' };
  };
  const common = {
    ...{ slipway, dev, devKey: key, post, now: () => clock },
    pass: (ms: number) => {
      clock += ms;
    },
    submit: async (path, act, changes = {}, by = dev) => {
      const form = formOf((await by.get(path)).text, act);
      const fields = Object.entries({ ...form.fields, ...changes });
      return post(form.action, Object.fromEntries(fields.filter(isGiven)), by);
    },
    close: () => slipway.close(),
  } satisfies Partial<BuildKit>;
  let apps = 0;
  const kitOf = (packageName: string): BuildKit => {
    const appId = async () => {
      const owner = await slipway.data.owners.findOwner(ownerName);
      const app = owner && (await slipway.data.apps.findApp(owner.id, 'android', packageName));
      if (!app) throw new Error('there is no app');
      return app.id;
    };
    const builds = async () => slipway.data.builds.listBuilds(await appId(), { limit: 999 });
    return {
      ...common,
      packageName,
      appPath: pathOf(packageName),
      buildPath: (revision) => `${pathOf(packageName)}/binaries/${revision}`,
      newApp: () => {
        apps += 1;
        return kitOf(`${packageName}.n${apps}`);
      },
      upload: ({ fields = {}, headers = {} } = {}) => {
        clock += 1000;
        const file = buildApk({ packageName, label: 'Tidewatch', versionName: '2.0' });
        return uploaded(slipway, { owner: ownerName, key, file, fields, headers });
      },
      appId,
      addBuilds: async (count) => {
        const owner = await slipway.data.owners.findOwner(ownerName);
        await addApp(slipway.data, owner?.id ?? '', { packageName, count });
      },
      revisions: async () => (await builds()).map(({ revision }) => revision),
    };
  };
  return kitOf(packageName);
}

const isGiven = (entry: [string, string | null]): entry is [string, string] => entry[1] !== null;

/** The token of the sign-out form, which every page has. */
async function readToken(session: BrowserSession): Promise<string> {
  const html = (await session.get('/')).text;
  return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
}
