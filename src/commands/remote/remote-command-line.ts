/** The arguments and help of commands that work on a server. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { keyScopes } from '../../core/key-scope.ts';
import { type CommandIo, jsonOption } from '../command-io.ts';
import type { AppSelector, Call } from './remote-commands.ts';

export const serverOption = () =>
  new Option('--server <address>', 'the server (default: the one that you signed in to)');
export const localOption = () =>
  new Option('--local', 'work on the installation of this machine, even if you are signed in').conflicts(
    'server',
  );
export const platformOption = () =>
  new Option('--platform <platform>', 'required if the owner has the package on both platforms').choices([
    'android',
    'ios',
  ]);

interface RemoteOptions {
  server?: string;
  json?: boolean;
  platform?: string;
}

/** Opens the server for a command that requires one. */
const openServer = async (io: CommandIo, { server, json = false }: RemoteOptions): Promise<Call> => ({
  io,
  json,
  api: await (await import('./api-client.ts')).requireServer(io, server),
});

/** Opens the server for a command that also works on the installation of this machine; null to work there. */
export async function openServerIfMeant(
  io: CommandIo,
  { server, local, json = false }: { server?: string; local?: boolean; json?: boolean },
): Promise<Call | null> {
  if (local) return null;
  const api = await (await import('./api-client.ts')).findServer(io, server);
  return api && { io, api, json };
}

export const parseRevision = (text: string): number => {
  if (!/^#?[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a number such as 12.');
  return Number(text.replace('#', ''));
};

const load = () => import('./remote-commands.ts');
const selectorOf = (owner: string, packageName: string, { platform }: RemoteOptions): AppSelector => ({
  owner,
  packageName,
  platform,
});

export function addSignInCommands(program: Command, io: CommandIo) {
  const commands = () => import('./login-command.ts');
  program
    .command('login')
    .description('sign in to a server, with a code that you approve in a browser')
    .addOption(serverOption())
    .addOption(
      new Option('--scope <scopes...>', 'what the key permits (default: upload read manage)').choices(
        keyScopes,
      ),
    )
    .addOption(jsonOption())
    .action(async (options) => (await commands()).runLogin(io, options));
  program
    .command('logout')
    .description('sign out of a server and revoke the key')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (options) => (await commands()).runLogout(io, options));
  program
    .command('whoami')
    .description('show the server, the user and what the key permits')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (options) => (await commands()).runWhoami(io, options));
}

/** `app`, `build`: the commands that have local subcommands already. */
export function addRemoteAppCommands(app: Command, build: Command, io: CommandIo) {
  app
    .command('list <owner>')
    .description('list the apps of a user or Project on a server')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, options) => (await load()).listApps(await openServer(io, options), owner));
  app
    .command('show <owner> <package>')
    .description('show an app on a server')
    .addOption(platformOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, name, options) =>
      (await load()).showApp(await openServer(io, options), selectorOf(owner, name, options)),
    );
  app
    .command('delete <owner> <package>')
    .description('delete an app of a server with its builds, pages and files')
    .requiredOption('--yes', 'confirms it: it cannot be undone')
    .addOption(platformOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, name, options) =>
      (await load()).deleteApp(await openServer(io, options), selectorOf(owner, name, options)),
    );
  build
    .command('protect <owner> <package>')
    .argument('<revision...>', '', parseRevisions)
    .description('protect builds on a server from deletion')
    .addOption(platformOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, name, revisions, options) =>
      (await load()).changeBuilds(
        await openServer(io, options),
        selectorOf(owner, name, options),
        'protect',
        revisions,
      ),
    );
  build
    .command('show <owner> <package>')
    .argument('<revision>', '', parseRevision)
    .description('show a build on a server')
    .addOption(platformOption())
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, name, revision, options) =>
      (await load()).showBuild(await openServer(io, options), selectorOf(owner, name, options), revision),
    );
}

/** Throws `InvalidArgumentError`. */
const parseRevisions = (text: string, before: number[] = []) => [...before, parseRevision(text)];

/** Throws `InvalidArgumentError`. */
const parseNumberOrNone = (text: string) => (text === 'none' ? 'none' : parseRevision(text));

export function addPageCommands(program: Command, io: CommandIo) {
  const page = program.command('page').description('manage distribution pages on a server');
  const ofApp = (command: Command) =>
    command.addOption(platformOption()).addOption(serverOption()).addOption(jsonOption());
  ofApp(page.command('list <owner> <package>').description('list the pages of an app')).action(
    async (owner, name, options) =>
      (await load()).listPages(await openServer(io, options), selectorOf(owner, name, options)),
  );
  ofApp(page.command('show <owner> <package> <page>').description('show a page, by name')).action(
    async (owner, name, pageName, options) =>
      (await load()).showPage(await openServer(io, options), selectorOf(owner, name, options), pageName),
  );
  ofApp(
    page
      .command('change <owner> <package> <page>')
      .description('change the settings of a page')
      .addOption(new Option('--open', 'open the page').conflicts('close'))
      .option('--close', 'close the page')
      .addOption(
        new Option('--access <access>', 'who may open it').choices([
          'unlisted',
          'passcode',
          'members',
          'groups',
        ]),
      )
      .option('--passcode <text>', 'for --access passcode')
      .option('--group <name...>', 'for --access groups')
      .option('--network <cidr...>', 'networks that may open it; "all": every one')
      .option('--expires <time>', 'when it closes, such as 2027-01-31T18:00:00Z, or "never"')
      .option('--max-installs <number>', 'after which nobody can install, or "none"', parseNumberOrNone)
      .option(
        '--mandatory-from <revision>',
        'require updates of earlier builds, or "none"',
        parseNumberOrNone,
      )
      .addOption(
        new Option('--feedback <state>', 'whether visitors can send feedback').choices(['on', 'off']),
      )
      .option('--note <text>', 'release note of its build')
      .option('--rename <name>', 'new name'),
  ).action(async (owner, name, pageName, { platform, server, json, ...changes }) =>
    (await load()).changePage(
      await openServer(io, { server, json }),
      selectorOf(owner, name, { platform }),
      pageName,
      changes,
    ),
  );
  ofApp(page.command('delete <owner> <package> <page>').description('delete a page')).action(
    async (owner, name, pageName, options) =>
      (await load()).deletePage(await openServer(io, options), selectorOf(owner, name, options), pageName),
  );
  ofApp(
    program
      .command('publish <owner> <package>')
      .argument('<revision>', '', parseRevision)
      .description('publish a build to the page with a name, which is created if there is none')
      .requiredOption('--page <name>', 'the page')
      .option('--note <text>', 'release note (default: the message of the build)')
      .option('--notify', 'email people about the build'),
  ).action(async (owner, name, revision, { page: pageName, note, notify, ...options }) =>
    (await load()).publish(await openServer(io, options), selectorOf(owner, name, options), {
      revision,
      page: pageName,
      note,
      notify,
    }),
  );
  ofApp(
    program
      .command('rollback <owner> <package>')
      .argument('<revision>', '', parseRevision)
      .description('roll a page back to an earlier build, with the note that it had')
      .requiredOption('--page <name>', 'the page'),
  ).action(async (owner, name, revision, { page: pageName, ...options }) =>
    (await load()).rollBack(await openServer(io, options), selectorOf(owner, name, options), {
      revision,
      page: pageName,
    }),
  );
}

export function addPeopleCommands(program: Command, io: CommandIo) {
  const tester = program.command('tester').description('manage who can install an app of a server');
  const ofApp = (command: Command) =>
    command.addOption(platformOption()).addOption(serverOption()).addOption(jsonOption());
  ofApp(
    tester
      .command('list <owner> <package>')
      .description('list who has access to an app, and why, or was invited'),
  ).action(async (owner, name, options) =>
    (await load()).listTesters(await openServer(io, options), selectorOf(owner, name, options)),
  );
  ofApp(
    tester
      .command('add <owner> <package> <login...>')
      .description('invite people by name or email address, in a Project to its tester team'),
  ).action(async (owner, name, logins, options) =>
    (await load()).addTesters(await openServer(io, options), selectorOf(owner, name, options), logins),
  );
  ofApp(
    tester
      .command('remove <owner> <package> <login>')
      .description(
        'remove someone by name or email address, with open invitations, in a Project from its teams',
      ),
  ).action(async (owner, name, person, options) =>
    (await load()).removeTester(await openServer(io, options), selectorOf(owner, name, options), person),
  );
  const device = program.command('device').description('manage registered devices on a server');
  device
    .command('list <owner>')
    .description('list the registered devices of a user or Project')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, options) => (await load()).listDevices(await openServer(io, options), owner));
  device
    .command('remove <owner> <id>')
    .description('remove a registered device')
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (owner, id, options) =>
      (await load()).removeDevice(await openServer(io, options), owner, id),
    );
}

export function addWebhookCommands(program: Command, io: CommandIo) {
  const webhook = program.command('webhook').description('manage webhooks on a server');
  const placed = (command: Command) =>
    command
      .option('--package <package>', 'of one app of the owner')
      .addOption(platformOption())
      .addOption(serverOption())
      .addOption(jsonOption());
  const placeOf = (owner: string, options: RemoteOptions & { package?: string }) => ({
    owner,
    ...(options.package === undefined ? {} : { app: selectorOf(owner, options.package, options) }),
  });
  placed(webhook.command('list <owner>').description('list the webhooks of a user, Project or app')).action(
    async (owner, options) =>
      (await load()).listWebhooks(await openServer(io, options), placeOf(owner, options)),
  );
  placed(
    webhook
      .command('add <owner> <url>')
      .description('add a webhook and print its secret once')
      .option('--name <text>', 'name')
      .addOption(new Option('--kind <kind>', 'format of the messages').choices(['json', 'slack', 'teams']))
      .option('--event <events...>', 'what it is told (default: uploads)'),
  ).action(async (owner, url, { name, kind, event, ...options }) =>
    (await load()).addWebhook(await openServer(io, options), placeOf(owner, options), {
      url,
      name,
      kind,
      events: event,
    }),
  );
  for (const [verb, description] of [
    ['remove', 'remove a webhook'],
    ['test', 'send a test event'],
  ] as const)
    placed(webhook.command(`${verb} <owner> <id>`).description(description)).action(
      async (owner, id, options) => {
        const { removeWebhook, testWebhook } = await load();
        const run = verb === 'remove' ? removeWebhook : testWebhook;
        await run(await openServer(io, options), placeOf(owner, options), id);
      },
    );
}
