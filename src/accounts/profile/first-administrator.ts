/** Creates the administrator on the first start, while there are no users. */
import { join } from 'node:path';
import type { FirstAdministratorConfig } from '../../config.ts';
import type { Data } from '../../db/data.ts';
import type { OwnerOperations } from '../../owners/create-owners.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { IssueKey } from '../keys/issue-key.ts';
import type { RefuseBreached } from '../passwords/breached-passwords.ts';
import { checkPassword, hashPassword, newPassword } from '../passwords/password.ts';

/** Shown once. A password or key chosen in the settings is null. */
export interface InitialCredentials {
  name: string;
  password: string | null;
  apiKey: string | null;
}

/** Returns the path of the file for the initial credentials if there is no terminal to print them on. */
export function firstStartPath(config: { dataFolder: string }): string {
  return join(config.dataFolder, 'first-start.txt');
}

/** Null if there are users already. */
export async function createFirstAdministrator(
  deps: { data: Data; owners: OwnerOperations; issueKey: IssueKey; refuseBreached: RefuseBreached },
  config: FirstAdministratorConfig,
): Promise<InitialCredentials | null> {
  if (await ownerQueries(deps.data).hasUsers()) return null;
  const password =
    config.password === null ? newPassword() : checkPassword(config.password, [config.name, config.email]);
  if (config.password !== null) await deps.refuseBreached(config.password);
  const user = await deps.owners
    .createUser({
      name: config.name,
      email: config.email,
      passwordHash: await hashPassword(password),
      mustChangePassword: config.password === null,
      administrator: true,
      by: 'first-start',
    })
    .catch(async (error) => {
      // Another node, started at the same time, created it first.
      if (await ownerQueries(deps.data).hasUsers()) return null;
      throw error;
    });
  if (!user) return null;
  const { key } = await deps.issueKey({
    ownerName: user.name,
    ownerKind: 'user',
    name: 'first start',
    expiresAt: null,
    ...(config.apiKey === null ? {} : { chosenKey: config.apiKey }),
    by: 'first-start',
    notify: false,
  });
  return {
    name: user.name,
    password: config.password === null ? password : null,
    apiKey: config.apiKey === null ? key : null,
  };
}
