/** `slipway person export` and `slipway person erase`. */
import { createAuditChain } from '../../audit/seal-entries.ts';
import { AppError, unavailable } from '../../core/errors.ts';
import { findSecret } from '../../core/secret.ts';
import type { Data } from '../../db/data.ts';
import { nameKey } from '../../owners/owner.ts';
import { erasePerson, pseudonymOf } from '../../privacy/erase-person.ts';
import { exportPerson } from '../../privacy/person-export.ts';
import { personalDataQueries } from '../../privacy/personal-data-queries.ts';
import { type CommandIo, print } from '../command-io.ts';
import { writeJson } from '../terminal-text.ts';
import { withData } from '../with-data.ts';

async function findPerson(data: Data, name: string) {
  const person = await personalDataQueries(data).findPerson(nameKey(name));
  if (!person) throw new AppError('not_found', `there is no user ${name}`);
  return person;
}

export async function runPersonExport(io: CommandIo, name: string): Promise<void> {
  await withData(io, async ({ data }) => {
    writeJson(io.stdout, await exportPerson(data, await findPerson(data, name)));
  });
}

export async function runPersonErase(
  io: CommandIo,
  name: string,
  options: { json?: boolean },
): Promise<void> {
  await withData(io, async ({ config, data, now }) => {
    const person = await findPerson(data, name);
    const secret = await findSecret(config);
    if (secret === null)
      throw unavailable('the secret of the server is not here: run the command where the server runs');
    await erasePerson(data, createAuditChain(secret), person, { actor: 'command-line', at: now() });
    const pseudonym = pseudonymOf(person);
    print(io, options.json ?? false, { pseudonym }, `Replaced the name by ${pseudonym} everywhere.`);
  });
}
