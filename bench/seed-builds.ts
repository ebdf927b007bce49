/** Fills a database with apps, builds and pages by bulk inserts: nothing was uploaded for them. */
import type { Insertable } from 'kysely';
import { wordsOf } from '../src/apps/build-words.ts';
import type { Database } from '../src/db/database.ts';
import type { Tables } from '../src/db/tables.ts';
import { newHexKey, newIdentifier } from '../src/identifier.ts';

/** SQLite binds at most 32,766 values a statement. */
const rowsAtOnce = 500;
/** Builds of each app but the big one. */
const buildsOfApp = 100;
const beganAt = Date.UTC(2026, 0, 1);

export interface SeededPlaces {
  bigApp: string;
  /** Key of the page of the big app that has the longest history. */
  accessKey: string;
}

export interface Seeding {
  /** Grows to `count` builds in all: half of them in one app, the others in apps of a hundred each, a tenth with a page. */
  growTo(count: number): Promise<SeededPlaces>;
}

type BuildRow = Insertable<Tables['builds']>;

export function createSeeding(database: Database, ownerId: string): Seeding {
  const db = database.queries;
  const bigApp = { id: newIdentifier(beganAt), packageName: 'com.example.big', revisions: 0 };
  let bigPage: { id: string; accessKey: string } | null = null;
  let total = 0;
  let apps = 0;
  let app: { id: string; packageName: string; revisions: number } | null = null;

  const insertApp = async (made: { id: string; packageName: string }) => {
    const row = { owner_id: ownerId, platform: 'android', secret: newHexKey(), last_revision: 0 };
    const times = { created_at: beganAt, last_upload_at: beganAt };
    await db
      .insertInto('apps')
      .values({ ...row, ...times, id: made.id, package_name: made.packageName })
      .execute();
  };
  /** `count` builds of an app, and a page by the name of a branch for every tenth. */
  const insertBuilds = async (
    target: { id: string; packageName: string; revisions: number },
    count: number,
  ) => {
    const rows = Array.from({ length: count }, (_, index) =>
      buildRow(target, target.revisions + index + 1, total + index),
    );
    await db.insertInto('builds').values(rows).execute();
    await db.insertInto('build_words').values(rows.map(wordsRow)).execute();
    target.revisions += count;
    total += count;
    const paged = rows.filter((row) => Number(row.revision) % 10 === 0);
    if (paged.length > 0) await insertPages(target, paged);
    await db
      .updateTable('apps')
      .set({ last_revision: target.revisions, last_upload_at: beganAt + total * 1000 })
      .where('id', '=', target.id)
      .execute();
  };
  const insertPages = async (target: { id: string }, rows: BuildRow[]) => {
    const pages = rows.map((row) => ({
      id: newIdentifier(row.created_at),
      app_id: target.id,
      access_key: newHexKey(),
      name: `branch-${row.revision}`,
      active: 1,
      build_id: row.id,
      release_note: 'What is new.',
      created_at: row.created_at,
      updated_at: row.created_at,
    }));
    await db.insertInto('distribution_pages').values(pages).execute();
    if (target.id === bigApp.id && bigPage === null && pages[0]) {
      bigPage = { id: pages[0].id, accessKey: pages[0].access_key };
    }
    const history = rows.map((row, index) => ({
      id: newIdentifier(row.created_at),
      page_id: (target.id === bigApp.id ? bigPage?.id : null) ?? pages[index]?.id ?? '',
      build_id: row.id,
      release_note: 'What is new.',
      created_at: row.created_at,
    }));
    await db.insertInto('distribution_updates').values(history).execute();
  };

  return {
    async growTo(count) {
      if (total === 0) {
        await insertApp(bigApp);
        await insertBuilds(bigApp, 10);
      }
      while (total < count) {
        const left = count - total;
        if (bigApp.revisions < total / 2 || left < buildsOfApp) {
          await insertBuilds(bigApp, Math.min(rowsAtOnce, left));
          continue;
        }
        apps += 1;
        app = { id: newIdentifier(beganAt + apps), packageName: `com.example.app${apps}`, revisions: 0 };
        await insertApp(app);
        await insertBuilds(app, buildsOfApp);
      }
      return { bigApp: bigApp.packageName, accessKey: bigPage?.accessKey ?? '' };
    },
  };
}

function buildRow(app: { id: string; packageName: string }, revision: number, number: number): BuildRow {
  const createdAt = beganAt + number * 1000;
  const id = newIdentifier(createdAt);
  const hex = newHexKey();
  return {
    id,
    app_id: app.id,
    revision,
    name: 'Example',
    version_name: `1.${revision}`,
    version_code: String(revision),
    info: infoOf(app.packageName, revision),
    size_bytes: 50_000_000,
    md5: hex.slice(0, 32),
    sha256: hex.padEnd(64, '0'),
    package_blob: `packages/${id}`,
    icon_state: 'none',
    message: `Change ${number} by a person of the team`,
    branch: `branch-${revision % 50}`,
    commit_id: hex,
    upload_warnings: '[]',
    uploaded_by: 'admin',
    created_at: createdAt,
    protected: 0,
  };
}

function wordsRow(row: BuildRow): Insertable<Tables['build_words']> {
  const { version_name = null, version_code, message, branch = null, commit_id = null, label = null } = row;
  const facts = { versionName: version_name, versionCode: version_code, commit: commit_id };
  const words = wordsOf({ ...facts, message, branch, label });
  return { app_id: row.app_id, revision: row.revision, words };
}

function infoOf(packageName: string, revision: number): string {
  return JSON.stringify({
    platform: 'android',
    packageName,
    name: 'Example',
    labels: { '': 'Example' },
    versionCode: String(revision),
    versionName: `1.${revision}`,
    sdkVersion: '24',
    rawSdkVersion: '24',
    targetSdkVersion: 36,
    signature: null,
    signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
    icon: null,
    android: null,
    ios: null,
    warnings: [],
  });
}
