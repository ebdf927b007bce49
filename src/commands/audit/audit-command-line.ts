/** `slipway audit …` and `slipway person …`: arguments and help. */
import { type Command, InvalidArgumentError } from 'commander';
import { type CommandIo, jsonOption } from '../command-io.ts';

const load = () => import('./audit-commands.ts');

export function addAuditCommands(program: Command, io: CommandIo, setExitCode: (code: number) => void) {
  const audit = program.command('audit').description('verify and export the audit log');
  audit
    .command('verify')
    .description('verify the hash chain of the audit log; exits with 1 if entries were changed by hand')
    .option('--from <number>', 'first entry', parseSequence)
    .option('--to <number>', 'last entry', parseSequence)
    .option('--file <file>', 'also verify this copy, written by the stream or by slipway audit export')
    .addOption(jsonOption())
    .action(async (options) => setExitCode(await (await load()).runAuditVerify(io, options)));
  audit
    .command('export')
    .description('print the audit log with its hash chain as JSON lines')
    .option('--from <number>', 'first entry', parseSequence)
    .option('--to <number>', 'last entry', parseSequence)
    .action(async (options) => (await load()).runAuditExport(io, options));
  audit
    .command('reseal')
    .description(
      'start a new hash chain with all entries, after the secret was lost or the chain was damaged',
    )
    .addOption(jsonOption())
    .action(async (options) => (await load()).runAuditReseal(io, options));
}

export function addPersonCommands(program: Command, io: CommandIo) {
  const loadPerson = () => import('./person-commands.ts');
  const person = program.command('person').description('export and erase the data of a person');
  person
    .command('export <name>')
    .description('print everything that names a user, as JSON without secrets')
    .action(async (name) => (await loadPerson()).runPersonExport(io, name));
  person
    .command('mentions <names...>')
    .description('list texts that people wrote, and that have a name or an address in them')
    .addOption(jsonOption())
    .action(async (names, options) => (await loadPerson()).runPersonMentions(io, names, options));
  person
    .command('erase <name>')
    .description(
      'replace the name of a deleted user by a pseudonym now; the server does so after SLIPWAY_ERASE_DAYS',
    )
    .addOption(jsonOption())
    .action(async (name, options) => (await loadPerson()).runPersonErase(io, name, options));
}

function parseSequence(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use the number of an entry, such as 1.');
}
