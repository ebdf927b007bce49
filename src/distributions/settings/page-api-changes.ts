/** Changes to a page in the API as the values of its settings form, so that one place decides. */
import type { App } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { FormInvalid } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { type SettingsValues, settingsFormValues } from './page-settings.ts';

export interface PageChanges {
  name?: string | undefined;
  revision?: number | undefined;
  release_note?: string | undefined;
  active?: boolean | undefined;
  access?: string | undefined;
  /** Names. */
  groups?: readonly string[] | undefined;
  passcode?: string | undefined;
  /** RFC 3339. */
  expires_at?: string | null | undefined;
  max_installs?: number | null | undefined;
  networks?: readonly string[] | undefined;
  feedback?: boolean | undefined;
  mandatory_from?: number | null | undefined;
  reset_installs?: boolean | undefined;
}

/** The form values of the page as it is. */
export async function currentSettings(
  connection: Connection,
  page: DistributionPage,
): Promise<SettingsValues> {
  const served = (await buildQueries(connection).servedBuilds([page.buildId])).get(page.buildId);
  const groups = await groupQueries(connection).groupsOfPage(page.id);
  return settingsFormValues(
    page,
    served?.revision ?? 0,
    groups.map(({ id }) => id),
  );
}

/** Throws `FormInvalid` for an unknown group. */
export async function changedSettings(
  connection: Connection,
  app: App,
  page: DistributionPage,
  changes: PageChanges,
): Promise<SettingsValues> {
  const present = await currentSettings(connection, page);
  const { expires_at: expiresAt, max_installs: maxInstalls } = changes;
  return {
    ...present,
    name: changes.name ?? present.name,
    active: changes.active ?? present.active,
    access: changes.access ?? present.access,
    groups: changes.groups ? await groupIds(connection, app, changes.groups) : present.groups,
    passcode: changes.passcode ?? '',
    feedback: changes.feedback ?? present.feedback,
    mandatoryFrom:
      changes.mandatory_from === undefined ? present.mandatoryFrom : String(changes.mandatory_from ?? ''),
    note: changes.release_note ?? present.note,
    revision: changes.revision === undefined ? present.revision : String(changes.revision),
    recount: changes.reset_installs ?? false,
    ...(expiresAt === undefined ? {} : expiryOf(expiresAt)),
    ...(maxInstalls === undefined
      ? {}
      : { limitsInstalls: maxInstalls !== null, installs: String(maxInstalls ?? '') }),
    ...(changes.networks
      ? { limitsNetworks: changes.networks.length > 0, networks: changes.networks.join('\n') }
      : {}),
  };
}

const expiryOf = (expiresAt: string | null) =>
  expiresAt === null
    ? { expiry: 'never', expires: '' }
    : { expiry: 'date', expires: new Date(expiresAt).toISOString().replace('Z', '') };

async function groupIds(connection: Connection, app: App, names: readonly string[]): Promise<string[]> {
  const groups = await groupQueries(connection).listGroups(app.owner.id);
  return names.map((name) => {
    const group = groups.find((one) => one.name === name);
    if (group) return group.id;
    throw new FormInvalid({ groups: [`There is no group ${name}.`] });
  });
}

/** Renames the fields of a refusal to those of the JSON body. */
export async function inApiFields<Result>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FormInvalid)) throw error;
    const renamed = Object.entries(error.errors).map(([name, sentences]) => [names[name] ?? name, sentences]);
    throw new FormInvalid(Object.fromEntries(renamed));
  }
}
