/** `slipway …`: every command, its arguments and its help. The work itself lies in one file a command. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ConfigFault } from '../config.ts';
import { readByteSize } from '../core/byte-size.ts';
import { AppError } from '../core/errors.ts';
import { version } from '../core/version.ts';
import { type CommandIo, jsonOption, print } from './command-io.ts';
import { completionScript, type Shell, shells } from './completion-command.ts';
import { addKeyCommands, addSecretCommands } from './key-command-line.ts';
import { UsageFault } from './uploader/upload-fault.ts';

/** Answers the exit code: 0 done, 1 refused or failed, 2 the command was not understood. */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<number> {
  let exitCode = 0;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr.write(`${wordsFor(error)}\n`);
    return error instanceof UsageFault ? 2 : 1;
  }
}

/** What went wrong, for the operator. */
export function wordsFor(error: unknown): string {
  if (error instanceof ConfigFault) return error.faults.map((fault) => `slipway: ${fault}`).join('\n');
  if (error instanceof AppError || error instanceof UsageFault) return `slipway: ${error.message}`;
  if (!(error instanceof Error)) return `slipway: ${String(error)}`;
  // What a system call or a driver refused is the operator's to mend; anything else is a defect, told with its place.
  return `slipway: ${'code' in error ? error.message : (error.stack ?? error.message)}`;
}

type SetExitCode = (code: number) => void;

/** Every command, with its help; the docs are held to it. */
export function createProgram(io: CommandIo, setExitCode: SetExitCode): Command {
  const program = new Command('slipway')
    .description(
      'Self-hosted mobile app distribution. Settings come from the environment (SLIPWAY_…) and from .env.',
    )
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  addServerCommands(program, io, setExitCode);
  addOwnerCommands(program, io);
  addQuotaCommands(program, io);
  addBuildCommands(program, io, setExitCode);
  addKeyCommands(program, io);
  addSecretCommands(program, io);
  addPackageCommands(program, io, setExitCode);
  addProgramCommands(program, io);
  return program;
}

function addProgramCommands(program: Command, io: CommandIo) {
  program
    .command('version')
    .description('print the version of Slipway')
    .addOption(jsonOption())
    .action((options: { json?: boolean }) =>
      print(io, options.json ?? false, { version: version(), node: io.host.version }, version()),
    );
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action(async (shell: Shell) => {
      const { uploadOptionNames } = await import('./uploader/upload-options.ts');
      const ownOptions = { upload: uploadOptionNames, simulate: ['--device', '--help'] };
      io.stdout.write(completionScript(shell, program, ownOptions));
    });
}

function addServerCommands(program: Command, io: CommandIo, setExitCode: SetExitCode) {
  program
    .command('serve')
    .description('start the server')
    .option('--lan', 'listen on all addresses and show the one that a phone on the same network can open')
    .action(async (options: { lan?: boolean }) => (await import('./serve-command.ts')).runServe(io, options));
  program
    .command('migrate')
    .description('bring the database to this version’s schema')
    .addOption(jsonOption())
    .action(async (options) => (await import('./data-commands.ts')).runMigrate(io, options));
  program
    .command('sweep')
    .description('remove stored files that nothing names, older than a day')
    .addOption(jsonOption())
    .action(async (options) => (await import('./data-commands.ts')).runSweep(io, options));
  program
    .command('retention')
    .description('remove the builds that no rule keeps, which the server does every day')
    .option('--dry-run', 'show what would go, and remove nothing')
    .addOption(jsonOption())
    .action(async (options) => (await import('./retention-command.ts')).runRetention(io, options));
  program
    .command('backup <folder>')
    .description('copy everything into a new folder, while the server runs')
    .option('--dump <file>', 'what pg_dump has written, on PostgreSQL')
    .option('--verify', 'verify the existing backup in that folder: compare the hash of every file')
    .addOption(jsonOption())
    .action(async (folder, options) => (await import('./backup-command.ts')).runBackup(io, folder, options));
  program
    .command('restore <folder>')
    .description('bring a backup back into an empty data folder')
    .option('--verify', 'read every package and compare its hash')
    .addOption(jsonOption())
    .action(async (folder, options) =>
      (await import('./restore-command.ts')).runRestore(io, folder, options),
    );
  program
    .command('move')
    .description('move database, files or both to another place, such as PostgreSQL and S3; stop the server')
    .option('--database-url <url>', 'the new SLIPWAY_DATABASE_URL; a database without a row')
    .option('--blob-url <url>', 'the new SLIPWAY_BLOB_URL; a place without files')
    .option('--settings <file>', 'a file with the new settings, secrets too, in lines NAME=value')
    .option('--ahead', 'copy files only, while the server runs, so that the move is short')
    .option('--verify', 'read every package back and compare its hash')
    .addOption(jsonOption())
    .action(async (options) => (await import('./move-command.ts')).runMove(io, options));
  program
    .command('doctor')
    .description(
      'check the public address, certificate, proxy, disk, clock and mail; 1 when a problem is found',
    )
    .option('--files', 'first read every stored file, compare size and hash, and mark damaged files')
    .option('--rate <size>', 'with --files: bytes per second (default: SLIPWAY_FILE_CHECK_RATE)', parseBytes)
    .addOption(jsonOption())
    .action(async (options) =>
      setExitCode(await (await import('./doctor-command.ts')).runDoctorCommand(io, options)),
    );
}

function addOwnerCommands(program: Command, io: CommandIo) {
  const load = () => import('./owner-commands.ts');
  const user = program.command('user').description('people who sign in');
  user
    .command('add <name>')
    .description('make a user; prints the new API key once')
    .requiredOption('--email <address>', 'e-mail address')
    .option('--password <password>', 'password; one is made and printed when absent')
    .addOption(new Option('--password-stdin', 'read the password from standard input').conflicts('password'))
    .option('--admin', 'an administrator of this installation')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runUserAdd(io, name, options));
  user
    .command('password <name>')
    .description(
      'set a user’s password and end all their sessions; one is made and printed when none is given',
    )
    .addOption(new Option('--password-stdin', 'read the password from standard input'))
    .option('--revoke-keys', 'revoke all API keys of the user')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runUserPassword(io, name, options));
  user
    .command('email <name> <address>')
    .description('set a user’s e-mail address; single sign-on lets in who has it')
    .addOption(jsonOption())
    .action(async (name, address, options) => (await load()).runUserEmail(io, name, address, options));
  user
    .command('reset-second-factor <name>')
    .description('take away a user’s app for codes, passkeys and recovery codes, and end all their sessions')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runSecondFactorReset(io, name, options));
  const workspace = program.command('workspace').description('groups of Projects');
  workspace
    .command('add <name>')
    .description('make a Workspace')
    .option('--display-name <name>', 'name for people')
    .option('--icon-url <address>', 'icon, absolute or a path on this server')
    .option('--owner <user>', 'who owns it (default: the first administrator)')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runWorkspaceAdd(io, name, options));
  const project = program.command('project').description('owners of apps with teams');
  project
    .command('add <name>')
    .description('make a Project')
    .option('--workspace <name>', 'the Workspace it belongs to, for good')
    .option('--description <text>', 'what it is for')
    .option('--owner <user>', 'first member of its owner team (default: the first administrator)')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runProjectAdd(io, name, options));
  const team = program.command('team').description('who may do what in a Project');
  for (const verb of ['add', 'remove'] as const) {
    team
      .command(verb)
      .argument('<project>')
      .addArgument(new Argument('<team>').choices(['owner', 'developer', 'tester']))
      .argument('<user>')
      .description(
        `${verb === 'add' ? 'put a user into' : 'take a user out of'} the owner, developer or tester team`,
      )
      .addOption(jsonOption())
      .action(async (projectName, teamName, userName, options) =>
        (await load()).runTeamChange(io, verb, { projectName, team: teamName, userName }, options),
      );
  }
}

function addQuotaCommands(program: Command, io: CommandIo) {
  program
    .command('quota')
    .description('how much an owner may store')
    .command('set <owner>')
    .description('limit what a user or a Project may store; what is not named stays as it is')
    .option('--storage <size>', 'for example 50GiB; none for no limit')
    .option('--builds <number>', 'so many builds; none for no limit')
    .option('--projects <number>', 'for a user: maximum number of Projects; none for no limit')
    .option('--counts-for <user>', 'for a Project: the user toward whose limits it counts')
    .addOption(jsonOption())
    .action(async (owner, options) => (await import('./quota-command.ts')).runQuotaSet(io, owner, options));
}

function addBuildCommands(program: Command, io: CommandIo, setExitCode: SetExitCode) {
  const load = () => import('./build-commands.ts');
  const build = program.command('build').description('builds of an app');
  const platform = () =>
    new Option('--platform <platform>', 'where the owner has the package on both').choices([
      'android',
      'ios',
    ]);
  program
    .command('app')
    .description('apps')
    .command('rotate-secret <owner> <package>')
    .description('rotate the secret of an app, print the new one, and void the links of earlier uploads')
    .addOption(platform())
    .addOption(jsonOption())
    .action(async (owner, packageName, { platform: on, ...options }) =>
      (await load()).runRotateSecret(io, { owner, packageName, platform: on }, options),
    );
  build
    .command('list <owner> <package>')
    .description('builds of an app, newest first')
    .addOption(platform())
    .option('--most <number>', 'so many of them', parseCount, 20)
    .option('--deleted', 'those that can be brought back, last deleted first')
    .addOption(jsonOption())
    .action(async (owner, packageName, { platform: on, ...options }) =>
      (await load()).runBuildList(io, { owner, packageName, platform: on }, options),
    );
  build
    .command('delete <owner> <package> <revision...>')
    .description(
      'delete builds (7, 12-20) that no page hands out and nobody protects; for a day they can be brought back',
    )
    .addOption(platform())
    .addOption(jsonOption())
    .action(async (owner, packageName, texts, { platform: on, json: asJson }) => {
      const { readRevisions, runBuildDelete } = await load();
      const options = { revisions: readRevisions(texts), json: asJson };
      const deleted = await runBuildDelete(io, { owner, packageName, platform: on }, options);
      setExitCode(deleted ? 0 : 1);
    });
  build
    .command('restore <owner> <package> <revision...>')
    .description('bring builds back that were deleted within a day')
    .addOption(platform())
    .addOption(jsonOption())
    .action(async (owner, packageName, texts, { platform: on, json: asJson }) => {
      const { readRevisions, runBuildRestore } = await load();
      const options = { revisions: readRevisions(texts), json: asJson };
      await runBuildRestore(io, { owner, packageName, platform: on }, options);
    });
}

function parseBytes(text: string): number {
  const bytes = readByteSize(text);
  if (bytes === null) throw new InvalidArgumentError('Use a size such as 50MiB.');
  return bytes;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('a number from 1 to 999999.');
  return Number(text);
}

function addPackageCommands(program: Command, io: CommandIo, setExitCode: SetExitCode) {
  program
    .command('inspect <file...>')
    .description('print what Slipway reads out of packages')
    .option('--icon <folder>', 'write each icon there as a PNG named after the file')
    .addOption(jsonOption())
    .action(async (files, options) =>
      setExitCode(await (await import('./inspect/inspect-command.ts')).runInspect(io, files, options)),
    );
  program
    .command('upload')
    .description('upload a package to a Slipway server; slipway upload --help tells more')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(async (_arguments, _options, command: Command) => {
      const { runUpload } = await import('./uploader/upload-command.ts');
      const { uploadIoOf } = await import('./uploader/uploader-host.ts');
      setExitCode(await runUpload(command.args, uploadIoOf(io.host, 'slipway upload', version())));
    });
  program
    .command('simulate')
    .description('open a simulator build on this Mac; slipway simulate --help tells more')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(async (_arguments, _options, command: Command) => {
      const { runSimulate } = await import('./simulate/simulate-command.ts');
      const { simulateIoOf } = await import('./simulate/simulate-host.ts');
      setExitCode(await runSimulate(command.args, simulateIoOf(io.host, 'slipway simulate')));
    });
}
