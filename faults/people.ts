/** Clients that work until their server dies: one uploads, one deletes and restores, one manages a page. */
import type { RandomSource } from '../fuzz/random.ts';
import { buildApk } from '../test/support/build-apk.ts';
import { buildBundle } from '../test/support/build-bundle.ts';
import { type Pages, pagesOf, type Told, upload } from './client.ts';
import { type KnownBuild, type KnownPage, type Ledger, type PageContent, pageName } from './ledger.ts';

export interface AdministeredJob {
  origin: string;
  ledger: Ledger;
  random: RandomSource;
  /** Cookie of the administrator’s session. */
  cookie: string;
  /** Called after each response. */
  answered(): void;
}

const removedPackage = 'com.example.removed';
const keptPackage = 'com.example.kept';
const keptPage = 'kept';
const appPath = (packageName: string) => `/users/admin/platforms/android/apps/${packageName}`;
const largestFillerBytes = 400_000;
/** Larger than the limit for multipart uploads to S3. */
const partsFillerBytes = 17_000_000;

export function randomApk(random: RandomSource, packageName: string, largeToo = false): Buffer {
  const fillerBytes = largeToo && random.chance(0.05) ? partsFillerBytes : random.below(largestFillerBytes);
  return buildApk({ packageName, versionCode: random.below(1_000_000_000), fillerBytes });
}

export function randomBundle(random: RandomSource): Buffer {
  const content = Buffer.from(String(random.below(1_000_000_000)));
  return buildBundle({ files: { 'base/assets/number': content } });
}

export async function uploadUntilCut(work: AdministeredJob, index: number, largeToo: boolean): Promise<void> {
  const { origin, ledger, random } = work;
  for (;;) {
    const packageName = `com.example.app${index % 2}`;
    const name = random.chance(0.5) ? 'main' : `branch-${random.below(5)}`;
    const fields = { distribution_name: name };
    const bytes = randomApk(random, packageName, largeToo);
    if (!(await upload(origin, ledger, { packageName, bytes, fields }))) return;
    work.answered();
  }
}

/** Deletes and restores builds of its own App, and sometimes deletes the App. */
export async function removeUntilCut(work: AdministeredJob): Promise<void> {
  const { origin, ledger, random } = work;
  const pages = pagesOf(origin, work.cookie);
  const csrf = await pages.csrf();
  if (csrf === null) return;
  for (;;) {
    const own = [...ledger.builds.values()].filter(({ packageName }) => packageName === removedPackage);
    const certain = (state: string) =>
      own.filter(({ allowed, expired }) => allowed.join() === state && !expired);
    const [present, hidden] = [certain('present'), certain('hidden')];
    let done: boolean;
    if (present.length < 2) {
      const bytes = randomApk(random, removedPackage);
      done = (await upload(origin, ledger, { packageName: removedPackage, bytes })) !== null;
    } else if (hidden.length > 0 && random.chance(0.4)) {
      done = await change(work, pages, csrf, 'restore', [random.pick(hidden)]);
    } else if (random.chance(0.1)) done = await deleteApp(work, pages, csrf, own);
    else done = await change(work, pages, csrf, 'delete', present.slice(0, 1 + random.below(2)));
    if (!done) return;
    work.answered();
  }
}

async function change(
  { ledger }: AdministeredJob,
  pages: Pages,
  csrf: string,
  action: 'delete' | 'restore',
  builds: readonly KnownBuild[],
): Promise<boolean> {
  const after = action === 'delete' ? 'hidden' : 'present';
  for (const build of builds) build.allowed = ['present', 'hidden'];
  const revision = builds.map((build) => String(build.revision));
  const told = await pages.post(`${appPath(removedPackage)}/binaries/${action}`, { csrf, revision });
  if (!noteForm(ledger, told, action)) return false;
  for (const build of builds) build.allowed = [after];
  return true;
}

async function deleteApp(
  { ledger }: AdministeredJob,
  pages: Pages,
  csrf: string,
  own: readonly KnownBuild[],
): Promise<boolean> {
  const there = own.filter(({ allowed }) => allowed.join() !== 'gone');
  for (const build of there) build.allowed = [...build.allowed, 'gone'];
  const fields = { csrf, confirmation: removedPackage };
  const told = await pages.post(`${appPath(removedPackage)}/delete`, fields);
  if (!noteForm(ledger, told, 'deleting an app')) return false;
  for (const build of there) build.allowed = ['gone'];
  return true;
}

/** Returns whether the form was accepted. */
function noteForm({ counts, wrongAnswers }: Ledger, told: Told, what: string): boolean {
  if (told === null) {
    counts.unanswered += 1;
    return false;
  }
  if (told.status === 303) counts.acknowledged += 1;
  else wrongAnswers.push(`${what} was answered ${told.status}: ${told.text.slice(0, 200)}`);
  return told.status === 303;
}

/** Gives a page new builds and notes, through uploads and its settings, and new addresses. */
export async function keepPageUntilCut(work: AdministeredJob): Promise<void> {
  const { ledger, random } = work;
  for (;;) {
    const page = ledger.pages.get(pageName(keptPackage, keptPage));
    const builds = [...ledger.builds.values()].filter(({ packageName }) => packageName === keptPackage);
    const done =
      !page || builds.length < 2 || random.chance(0.3)
        ? await uploadToPage(work, page)
        : random.chance(0.2)
          ? await rotateLink(work, page)
          : await savePage(work, page, random.pick(builds).revision);
    if (!done) return;
    work.answered();
  }
}

async function uploadToPage(
  { origin, ledger, random }: AdministeredJob,
  page: KnownPage | undefined,
): Promise<boolean> {
  const note = `note ${random.below(1_000_000_000)}`;
  const current = page?.allowed[0];
  if (page && current) page.allowed = [current, { ...current, note, revision: null }];
  const answer = await upload(origin, ledger, {
    packageName: keptPackage,
    bytes: randomApk(random, keptPackage),
    fields: { distribution_name: keptPage, release_note: note },
  });
  if (answer === null) return false;
  const content = { accessKey: answer.page, note, revision: answer.revision };
  ledger.pages.set(pageName(keptPackage, keptPage), {
    packageName: keptPackage,
    name: keptPage,
    allowed: [content],
  });
  return true;
}

async function savePage(work: AdministeredJob, page: KnownPage, revision: number): Promise<boolean> {
  const note = `note ${work.random.below(1_000_000_000)}`;
  return settings(work, page, 'save', { note, revision: String(revision) }, (current) => ({
    ...current,
    note,
    revision,
  }));
}

function rotateLink(work: AdministeredJob, page: KnownPage): Promise<boolean> {
  return settings(work, page, 'rotate-link', {}, (current) => ({ ...current, accessKey: null }));
}

async function settings(
  { origin, cookie, ledger }: AdministeredJob,
  page: KnownPage,
  act: string,
  fields: Record<string, string>,
  change: (current: PageContent) => PageContent,
): Promise<boolean> {
  const [current] = page.allowed;
  if (!current) return false;
  const pages = pagesOf(origin, cookie);
  const part = act === 'rotate-link' ? '/access' : '';
  const address = `/distributions/${current.accessKey}/settings${part}`;
  const form = await pages.form(address, act);
  if (!form) return false;
  const after = change(current);
  page.allowed = [current, after];
  const told = await pages.post(form.action, { ...form.fields, ...fields });
  if (!told || !noteForm(ledger, told, `${act} of a page`)) return false;
  const [, accessKey = after.accessKey] = /\/distributions\/([0-9a-f]+)\//.exec(told.location) ?? [];
  page.allowed = [{ ...after, accessKey }];
  return true;
}
