/** `slipway key …` and `slipway secret …`: arguments and help. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyScopes } from '../core/key-scope.ts';
import { type CommandIo, jsonOption } from './command-io.ts';
import { localOption, openServerIfMeant, serverOption } from './remote/remote-command-line.ts';

export function addKeyCommands(program: Command, io: CommandIo) {
  const load = () => import('./key-commands.ts');
  const remote = () => import('./remote/remote-commands.ts');
  const key = program.command('key').description('API keys');
  key
    .command('add')
    .description('create an API key and print it once')
    .option('--user <name>', 'user that owns the key')
    .option('--project <name>', 'Project that owns the key')
    .option('--name <text>', 'description', 'command line')
    .option('--expires <duration>', 'for example 90d or 12h (default: never)', parseDuration)
    .addOption(
      new Option(
        '--scope <scopes...>',
        'what the key permits (default: everything its owner may do)',
      ).choices(keyScopes),
    )
    .option('--owner <names...>', 'act only for these users or Projects')
    .option('--app <apps...>', 'act only on these apps: OWNER/PLATFORM/PACKAGE')
    .addOption(serverOption())
    .addOption(localOption())
    .addOption(jsonOption())
    .action(async (options) => {
      const call = await openServerIfMeant(io, options);
      if (!call) return (await load()).runKeyAdd(io, options);
      await (await remote()).addKey(call, ownerOf(options), {
        name: options.name,
        scopes: options.scope,
        days: options.expires === undefined ? null : Math.ceil(options.expires / dayMs),
        restrictedTo: [...(options.owner ?? []), ...(options.app ?? [])],
      });
    });
  key
    .command('list')
    .description('list the keys of a user or a Project, with their last use')
    .option('--user <name>', 'user whose keys to list')
    .option('--project <name>', 'Project whose keys to list')
    .addOption(serverOption())
    .addOption(localOption())
    .addOption(jsonOption())
    .action(async (options) => {
      const call = await openServerIfMeant(io, options);
      if (call) await (await remote()).listKeys(call, ownerOf(options));
      else await (await load()).runKeyList(io, options);
    });
  key
    .command('rotate <id>')
    .description('give a key a new secret and print it once')
    .option('--user <name>', 'user that owns the key')
    .option('--project <name>', 'Project that owns the key')
    .option(
      '--overlap <duration>',
      'how long the old secret keeps working: for example 7d, 12h, or 0',
      parseOverlap,
      weekMs,
    )
    .addOption(serverOption())
    .addOption(localOption())
    .addOption(jsonOption())
    .action(async (id, options) => {
      const call = await openServerIfMeant(io, options);
      if (call)
        await (await remote()).rotateKey(call, ownerOf(options), id, Math.ceil(options.overlap / dayMs));
      else await (await load()).runKeyRotate(io, id, options);
    });
  key
    .command('end-old-secret <id>')
    .description('revoke the old secret of a rotated key')
    .option('--user <name>', 'user that owns the key')
    .option('--project <name>', 'Project that owns the key')
    .addOption(jsonOption())
    .action(async (id, options) => (await load()).runOldSecretEnd(io, id, options));
  key
    .command('revoke <id>')
    .description('revoke a key immediately')
    .option('--user <name>', 'user that owns the key')
    .option('--project <name>', 'Project that owns the key')
    .addOption(serverOption())
    .addOption(localOption())
    .addOption(jsonOption())
    .action(async (id, options) => {
      const call = await openServerIfMeant(io, options);
      if (call) await (await remote()).revokeKey(call, ownerOf(options), id);
      else await (await load()).runKeyRevoke(io, id, options);
    });
}

export function addSecretCommands(program: Command, io: CommandIo) {
  const load = () => import('./secret-commands.ts');
  const secret = program.command('secret').description('manage the secret of this installation');
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
  secret
    .command('reset')
    .description('let the next server that starts have another secret, after the old one was lost')
    .addOption(jsonOption())
    .action(async (options) => (await load()).runSecretReset(io, options));
}

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;

/** On a server, the default is the person who is signed in. */
const ownerOf = ({ user, project }: { user?: string; project?: string }) => user ?? project;

/** At most 30 days, because the purpose of a rotation is that the old secret stops working. */
function parseOverlap(text: string): number {
  const overlapMs = text === '0' ? 0 : parseDuration(text);
  if (overlapMs > 30 * 86_400_000) throw new InvalidArgumentError('The maximum is 30d.');
  return overlapMs;
}

/** Parses `90d`, `12h`, `30m` to milliseconds. */
function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,5})([dhm])$/.exec(text) ?? [];
  const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000 }[unit ?? ''];
  if (!digits || !unitMs || Number(digits) === 0)
    throw new InvalidArgumentError('Use a duration such as 90d, 12h or 30m.');
  return Number(digits) * unitMs;
}
