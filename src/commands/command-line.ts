/** Declares every command with its arguments and help. Each command is implemented in its own file. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { readByteSize } from '../core/byte-size.ts';
import { AppError, CommitUnknown } from '../core/errors.ts';
import { ConfigError } from '../core/settings.ts';
import { withSourcePositions } from '../core/source-positions.ts';
import { version } from '../core/version.ts';
import { addAuditCommands, addPersonCommands } from './audit/audit-command-line.ts';
import { addBuildCommands } from './build-command-line.ts';
import type { BundleOptions } from './bundle-command.ts';
import { type CommandIo, jsonOption, print } from './command-io.ts';
import { completionScript, type Shell, shells } from './completion-command.ts';
import { addKeyCommands, addSecretCommands } from './key-command-line.ts';
import { SettingsUnavailable } from './remote/credentials-file.ts';
import {
  addPageCommands,
  addPeopleCommands,
  addSignInCommands,
  addWebhookCommands,
} from './remote/remote-command-line.ts';
import { draw, writeLines } from './terminal-text.ts';
import { requireDecodable, UsageError } from './uploader/upload-error.ts';

/** Resolves to the exit code: 0 for success, 1 for a refusal or failure, 2 for a usage error. */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<number> {
  let exitCode = 0;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    requireDecodable(argv);
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    writeLines(io.stderr, ...describeError(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Returns the error message for the operator, as lines for `writeLines`. */
export function describeError(error: unknown): string[] {
  if (error instanceof ConfigError) return error.errors.map((problem) => `slipway: ${problem}`);
  return `slipway: ${messageOf(error)}`.split('\n');
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommitUnknown)
    return `${error.message}: look whether the change was made before you repeat it`;
  // Errors of system calls and drivers can be fixed by the operator. Anything else is a bug, so its stack trace is shown.
  const isExpected =
    [AppError, UsageError, SettingsUnavailable].some((kind) => error instanceof kind) || 'code' in error;
  return isExpected ? error.message : withSourcePositions(error.stack ?? error.message);
}

type SetExitCode = (code: number) => void;

/** Declares every command with its help. A test compares the docs with the result. */
export function createProgram(io: CommandIo, setExitCode: SetExitCode): Command {
  const program = new Command('slipway')
    .description(
      'Self-hosted mobile app distribution. Settings come from the environment (SLIPWAY_…) and from .env.',
    )
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeLines(io.stdout, ...text.replace(/\n$/, '').split('\n')),
      writeErr: (text) => writeLines(io.stderr, ...text.replace(/\n$/, '').split('\n')),
    });
  addServerCommands(program, io, setExitCode);
  addAuditCommands(program, io, setExitCode);
  addOwnerCommands(program, io);
  addPersonCommands(program, io);
  addQuotaCommands(program, io);
  addBuildCommands(program, io, setExitCode);
  addSignInCommands(program, io);
  addPageCommands(program, io);
  addPeopleCommands(program, io);
  addWebhookCommands(program, io);
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
      const { uploadOptionNames } = await import('./uploader/upload-inputs.ts');
      const ownOptions = {
        upload: uploadOptionNames,
        'pull-request': [
          '--close-pages',
          '--owner',
          '--server',
          '--page',
          '--pull-request',
          '--json',
          '--help',
        ],
        simulate: ['--device', '--help'],
      };
      draw(io.stdout, completionScript(shell, program, ownOptions));
    });
}

function addServerCommands(program: Command, io: CommandIo, setExitCode: SetExitCode) {
  program
    .command('serve')
    .description('start the server')
    .option('--lan', 'listen on all addresses and show the one that a phone on the same network can open')
    .option(
      '--demo',
      'fill a temporary installation with generated apps, people and activity; deleted on exit',
    )
    .action(async ({ demo, ...options }: { lan?: boolean; demo?: boolean }) =>
      demo
        ? (await import('./demo/demo-command.ts')).runDemo(io, options)
        : (await import('./serve-command.ts')).runServe(io, options),
    );
  program
    .command('migrate')
    .description('bring the database to this version’s schema')
    .addOption(jsonOption())
    .action(async (options) => (await import('./data-commands.ts')).runMigrate(io, options));
  program
    .command('sweep')
    .description('remove unreferenced stored files older than a day')
    .addOption(jsonOption())
    .action(async (options) => (await import('./data-commands.ts')).runSweep(io, options));
  program
    .command('retention')
    .description('delete builds according to the retention rules; the server does this every day')
    .option('--dry-run', 'show what would be deleted, without deleting anything')
    .addOption(jsonOption())
    .action(async (options) => (await import('./retention-command.ts')).runRetention(io, options));
  program
    .command('backup <folder>')
    .description('back up everything into a new folder while the server runs')
    .option('--dump <file>', 'PostgreSQL: the file written by pg_dump')
    .option('--verify', 'verify an existing backup: compare the hash of every file')
    .addOption(jsonOption())
    .action(async (folder, options) => (await import('./backup-command.ts')).runBackup(io, folder, options));
  program
    .command('restore <folder>')
    .description('restore a backup into an empty data folder')
    .option('--verify', 'read every package and compare its hash')
    .addOption(jsonOption())
    .action(async (folder, options) =>
      (await import('./restore-command.ts')).runRestore(io, folder, options),
    );
  program
    .command('move')
    .description(
      'move the database, the files or both, for example to PostgreSQL and S3; stop the server first',
    )
    .option('--database-url <url>', 'the new SLIPWAY_DATABASE_URL; the database must be empty')
    .option('--blob-url <url>', 'the new SLIPWAY_BLOB_URL; the location must be empty')
    .option('--settings <file>', 'a file with the new settings, including secrets, as NAME=value lines')
    .option('--ahead', 'copy only files while the server runs, to shorten the move')
    .option('--verify', 'read every package back and compare its hash')
    .addOption(jsonOption())
    .action(async (options) => (await import('./move-command.ts')).runMove(io, options));
  program
    .command('doctor')
    .description(
      'check the public address, certificate, proxy, disk, clock and mail; exits with 1 when a problem is found',
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
  const user = program.command('user').description('manage users');
  user
    .command('add <name>')
    .description('create a user and print the new API key once')
    .requiredOption('--email <address>', 'email address')
    .option('--password <password>', 'password (default: generated and printed)')
    .addOption(new Option('--password-stdin', 'read the password from standard input').conflicts('password'))
    .option('--admin', 'make the user an administrator')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runUserAdd(io, name, options));
  user
    .command('password <name>')
    .description(
      'set a user’s password and end all their sessions; by default, the password is generated and printed',
    )
    .addOption(new Option('--password-stdin', 'read the password from standard input'))
    .option('--revoke-keys', 'revoke all API keys of the user, and delete their trusted publishers')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runUserPassword(io, name, options));
  user
    .command('email <name> <address>')
    .description('set a user’s email address; single sign-on identifies the user by it')
    .addOption(jsonOption())
    .action(async (name, address, options) => (await load()).runUserEmail(io, name, address, options));
  user
    .command('reset-second-factor <name>')
    .description('remove a user’s authenticator app, passkeys and recovery codes, and end all their sessions')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runSecondFactorReset(io, name, options));
  const workspace = program.command('workspace').description('manage Workspaces, which group Projects');
  workspace
    .command('add <name>')
    .description('create a Workspace')
    .option('--display-name <name>', 'display name')
    .option('--icon-url <address>', 'icon: a URL, or a path on this server')
    .option('--owner <user>', 'owner (default: the first administrator)')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runWorkspaceAdd(io, name, options));
  const project = program.command('project').description('manage Projects, which own apps and have teams');
  project
    .command('add <name>')
    .description('create a Project')
    .option('--workspace <name>', 'the Workspace it belongs to (permanent)')
    .option('--description <text>', 'description')
    .option('--owner <user>', 'first member of its owner team (default: the first administrator)')
    .addOption(jsonOption())
    .action(async (name, options) => (await load()).runProjectAdd(io, name, options));
  const team = program.command('team').description('manage the teams of a Project');
  for (const verb of ['add', 'remove'] as const) {
    team
      .command(verb)
      .argument('<project>')
      .addArgument(new Argument('<team>').choices(['owner', 'developer', 'auditor', 'tester']))
      .argument('<user>')
      .description(
        `${verb === 'add' ? 'add a user to' : 'remove a user from'} the owner, developer, auditor or tester team`,
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
    .description('manage storage limits')
    .command('set <owner>')
    .description('set the limits of a user or a Project; limits that are not given are unchanged')
    .option('--storage <size>', 'maximum storage, for example 50GiB; none for no limit')
    .option('--builds <number>', 'maximum number of builds; none for no limit')
    .option('--projects <number>', 'for a user: maximum number of Projects; none for no limit')
    .option('--counts-for <user>', 'for a Project: the user toward whose limits it counts')
    .addOption(jsonOption())
    .action(async (owner, options) => (await import('./quota-command.ts')).runQuotaSet(io, owner, options));
}

function parseBytes(text: string): number {
  const bytes = readByteSize(text);
  if (bytes === null) throw new InvalidArgumentError('Use a size such as 50MiB.');
  return bytes;
}

function addPackageCommands(program: Command, io: CommandIo, setExitCode: SetExitCode) {
  program
    .command('inspect <file...>')
    .description('print the facts that Slipway reads from packages')
    .option('--icon <folder>', 'write each icon to this folder as a PNG named after the file')
    .addOption(jsonOption())
    .action(async (files, options) =>
      setExitCode(await (await import('./inspect/inspect-command.ts')).runInspect(io, files, options)),
    );
  program
    .command('analyze [file...]')
    .description(
      'print what the analyzer finds in packages, as JSON: sizes, contents, dependencies, security facts',
    )
    .option('--all', 'instead, have the server analyze every build that this version has not analyzed')
    .addOption(jsonOption())
    .action(async (files, options) =>
      setExitCode(await (await import('./analyze-command.ts')).runAnalyze(io, files, options)),
    );
  program
    .command('bundle <file>')
    .description('make the universal APK of an Android App Bundle (AAB), without Java')
    .requiredOption('--out <file>', 'write the APK to this file')
    .option(
      '--keystore <file>',
      'sign with a PKCS #12 or JKS keystore, whose password is in SLIPWAY_KEYSTORE_PASSWORD; otherwise with a debug key',
    )
    .option('--key-alias <name>', 'the key of the keystore, if it has several')
    .addOption(jsonOption())
    .action(async (file: string, options: BundleOptions) =>
      (await import('./bundle-command.ts')).runBundle(io, file, options),
    );
  program
    .command('upload')
    .description('upload a package to a Slipway server; see slipway upload --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(async (_arguments, _options, command: Command) => {
      const { runUpload } = await import('./uploader/upload-command.ts');
      const { createUploadIo } = await import('./uploader/uploader-host.ts');
      setExitCode(await runUpload(command.args, createUploadIo(io.host, 'slipway upload', version())));
    });
  program
    .command('pull-request')
    .description(
      'report to the comment of uploads that a pull request is closed; see slipway pull-request --help',
    )
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(async (_arguments, _options, command: Command) => {
      const { runPullRequest } = await import('./pull-request/pull-request-command.ts');
      const { createUploadIo } = await import('./uploader/uploader-host.ts');
      const own = createUploadIo(io.host, 'slipway pull-request', version());
      setExitCode(await runPullRequest(command.args, own));
    });
  program
    .command('simulate')
    .description('open a simulator build on this Mac; see slipway simulate --help')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[arguments...]')
    .action(async (_arguments, _options, command: Command) => {
      const { runSimulate } = await import('./simulate/simulate-command.ts');
      const { createSimulateIo } = await import('./simulate/simulate-host.ts');
      setExitCode(await runSimulate(command.args, createSimulateIo(io.host, 'slipway simulate')));
    });
}
