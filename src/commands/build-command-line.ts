/** `slipway app …` and `slipway build …`: arguments and help. */
import { type Command, InvalidArgumentError } from 'commander';
import { type CommandIo, jsonOption } from './command-io.ts';
import {
  addRemoteAppCommands,
  localOption,
  openServerIfMeant,
  platformOption,
  serverOption,
} from './remote/remote-command-line.ts';

export function addBuildCommands(program: Command, io: CommandIo, setExitCode: (code: number) => void) {
  const load = () => import('./build-commands.ts');
  const remote = () => import('./remote/remote-commands.ts');
  const app = program.command('app').description('manage apps');
  const build = program.command('build').description('manage the builds of an app');
  /** Adds the options of a command that works on a server or on the installation of this machine. */
  const either = (command: Command) =>
    command
      .addOption(platformOption())
      .addOption(serverOption())
      .addOption(localOption())
      .addOption(jsonOption());
  either(
    app
      .command('rotate-secret <owner> <package>')
      .description(
        'rotate the secret of an app and print the new one; links of earlier uploads stop working',
      ),
  ).action(async (owner, packageName, { platform, ...options }) => {
    const call = await openServerIfMeant(io, options);
    if (call) await (await remote()).rotateAppSecret(call, { owner, packageName, platform });
    else await (await load()).runRotateSecret(io, { owner, packageName, platform }, options);
  });
  either(
    build
      .command('list <owner> <package>')
      .description('list the builds of an app, newest first')
      .option('--limit <number>', 'maximum number of builds to list', parseCount, 20)
      .option('--deleted', 'on this machine: list builds that can be restored, last deleted first')
      .option('--branch <branch>', 'on a server: only builds of this branch')
      .option('--label <label>', 'on a server: only builds with this label')
      .option('--commit <commit>', 'on a server: only builds of this commit'),
  ).action(async (owner, packageName, { platform, ...options }) => {
    const call = await openServerIfMeant(io, options);
    const { limit, branch, label, commit } = options;
    if (call)
      await (await remote()).listBuilds(
        call,
        { owner, packageName, platform },
        { limit, branch, label, commit },
      );
    else await (await load()).runBuildList(io, { owner, packageName, platform }, options);
  });
  either(
    build
      .command('delete <owner> <package> <revision...>')
      .description(
        'delete builds (7, 12-20) that are on no page and not protected; they can be restored for one day',
      ),
  ).action(async (owner, packageName, texts, { platform, ...options }) => {
    const { readRevisions, runBuildDelete } = await load();
    const revisions = readRevisions(texts);
    const call = await openServerIfMeant(io, options);
    if (call)
      return (await remote()).changeBuilds(call, { owner, packageName, platform }, 'delete', revisions);
    const deleted = await runBuildDelete(
      io,
      { owner, packageName, platform },
      { revisions, json: options.json },
    );
    setExitCode(deleted ? 0 : 1);
  });
  either(
    build
      .command('restore <owner> <package> <revision...>')
      .description('restore builds deleted within the last day'),
  ).action(async (owner, packageName, texts, { platform, ...options }) => {
    const { readRevisions, runBuildRestore } = await load();
    const revisions = readRevisions(texts);
    const call = await openServerIfMeant(io, options);
    if (call)
      return (await remote()).changeBuilds(call, { owner, packageName, platform }, 'restore', revisions);
    await runBuildRestore(io, { owner, packageName, platform }, { revisions, json: options.json });
  });
  addRemoteAppCommands(app, build, io);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 999999.');
  return Number(text);
}
