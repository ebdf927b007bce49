/** `slipway key …` and `slipway secret …`: arguments and help. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyScopes } from '../key-scope.ts';
import { type CommandIo, jsonOption } from './command-io.ts';

export function addKeyCommands(program: Command, io: CommandIo) {
  const load = () => import('./key-commands.ts');
  const key = program.command('key').description('API keys');
  key
    .command('add')
    .description('issue an API key and print it once')
    .option('--user <name>', 'whose key it is')
    .option('--project <name>', 'the Project whose key it is')
    .option('--name <text>', 'what it is for', 'command line')
    .option('--expires <duration>', 'for example 90d, 12h; never when absent', parseDuration)
    .addOption(
      new Option(
        '--scope <scopes...>',
        'what it permits (default: everything that its owner may do)',
      ).choices(keyScopes),
    )
    .option('--owner <names...>', 'act only for these users or Projects')
    .option('--app <apps...>', 'act only on these apps: OWNER/PLATFORM/PACKAGE')
    .addOption(jsonOption())
    .action(async (options) => (await load()).runKeyAdd(io, options));
  key
    .command('list')
    .description('keys of a user or a Project, with their last use')
    .option('--user <name>', 'whose keys')
    .option('--project <name>', 'the Project whose keys')
    .addOption(jsonOption())
    .action(async (options) => (await load()).runKeyList(io, options));
  key
    .command('rotate <id>')
    .description('give a key a new secret and print it once')
    .option('--user <name>', 'whose key it is')
    .option('--project <name>', 'the Project whose key it is')
    .option(
      '--overlap <duration>',
      'how long the old secret works: for example 7d, 12h, or 0',
      parseOverlap,
      weekMs,
    )
    .addOption(jsonOption())
    .action(async (id, options) => (await load()).runKeyRotate(io, id, options));
  key
    .command('end-old-secret <id>')
    .description('end the secret that a rotation replaced')
    .option('--user <name>', 'whose key it is')
    .option('--project <name>', 'the Project whose key it is')
    .addOption(jsonOption())
    .action(async (id, options) => (await load()).runOldSecretEnd(io, id, options));
  key
    .command('revoke <id>')
    .description('make a key useless at once')
    .option('--user <name>', 'whose key it is')
    .option('--project <name>', 'the Project whose key it is')
    .addOption(jsonOption())
    .action(async (id, options) => (await load()).runKeyRevoke(io, id, options));
}

export function addSecretCommands(program: Command, io: CommandIo) {
  const load = () => import('./secret-commands.ts');
  const secret = program.command('secret').description('the secret of this installation');
  secret
    .command('rotate')
    .description('create a new secret in the data folder; the old one is accepted until it is retired')
    .addOption(jsonOption())
    .action(async (options) => (await load()).runSecretRotate(io, options));
  secret
    .command('retire')
    .description('stop accepting the previous secret')
    .addOption(jsonOption())
    .action(async (options) => (await load()).runSecretRetire(io, options));
}

const weekMs = 7 * 86_400_000;

/** At most 30 days: an old secret that works on is what a rotation should end. */
function parseOverlap(text: string): number {
  const overlapMs = text === '0' ? 0 : parseDuration(text);
  if (overlapMs > 30 * 86_400_000) throw new InvalidArgumentError('at most 30d.');
  return overlapMs;
}

/** Milliseconds of `90d`, `12h`, `30m`. */
function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,5})([dhm])$/.exec(text) ?? [];
  const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? ''];
  if (!digits || !unitMs || Number(digits) === 0)
    throw new InvalidArgumentError('a duration is like 90d, 12h or 30m.');
  return Number(digits) * unitMs;
}
