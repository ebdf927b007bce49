/** `slipway person export`, `mentions` and `erase`. */
import { createAuditChain } from '../../audit/seal-entries.ts';
import { AppError, unavailable } from '../../core/errors.ts';
import { findSecret } from '../../core/secret.ts';
import type { Data } from '../../db/data.ts';
import { nameKey } from '../../owners/owner.ts';
import { erasePerson, pseudonymOf } from '../../privacy/erase-person.ts';
import { mentionQueries } from '../../privacy/mention-queries.ts';
import { exportPerson } from '../../privacy/person-export.ts';
import { personalDataQueries } from '../../privacy/personal-data-queries.ts';
import { type CommandIo, print } from '../command-io.ts';
import { writeJson, writeLines } from '../terminal-text.ts';
import { withData } from '../with-data.ts';

async function findPerson(data: Data, name: string) {
  const person = await personalDataQueries(data).findPerson(nameKey(name));
  if (!person) throw new AppError('not_found', `there is no user ${name}`);
  return person;
}

export async function runPersonExport(io: CommandIo, name: string): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const by = { actor: 'command-line', at: now() } as const;
    writeJson(io.stdout, await exportPerson(data, await findPerson(data, name), by));
  });
}

/** Searches for the name, and for further spellings and addresses, in texts that people wrote. */
export async function runPersonMentions(
  io: CommandIo,
  names: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  if (names.some((name) => name.trim() === '')) throw new AppError('invalid', 'a name is empty');
  await withData(io, async ({ data }) => {
    const mentions = await mentionQueries(data).findMentions(names);
    for (const mention of mentions)
      if (options.json) writeJson(io.stdout, mention);
      else writeLines(io.stdout, `${mention.table}.${mention.column} ${mention.id}: ${mention.excerpt}`);
    if (mentions.length === 0 && !options.json) writeLines(io.stdout, 'No text has it.');
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
    const { length: mentions } = await mentionQueries(data).findMentions([person.name]);
    const rest =
      mentions === 0 ? '' : ` ${mentions} texts still have it: slipway person mentions ${person.name}`;
    print(
      io,
      options.json ?? false,
      { pseudonym, mentions },
      `Replaced the name by ${pseudonym} everywhere but in texts that people wrote.${rest}`,
    );
  });
}
