/** `slipway user`, `workspace`, `project` and `team`. */

import { type ApiKey, isUsable } from '../accounts/keys/api-key.ts';
import { keyQueries } from '../accounts/keys/key-queries.ts';
import { createRefuseBreached, type RefuseBreached } from '../accounts/passwords/breached-passwords.ts';
import {
  checkPassword,
  hashPassword,
  maxPasswordLength,
  newPassword,
} from '../accounts/passwords/password.ts';
import { createSetPassword } from '../accounts/passwords/set-password.ts';
import { changeEmail } from '../accounts/profile/change-email.ts';
import { resetFactors } from '../accounts/second-factor/reset-factors.ts';
import type { TrustedPublisher } from '../accounts/trusted-publishing/trusted-publisher.ts';
import { trustedPublisherQueries } from '../accounts/trusted-publishing/trusted-publisher-queries.ts';
import { administrationTexts } from '../administration/administration-texts.ts';
import type { Config } from '../config.ts';
import { NotFound } from '../core/errors.ts';
import { checkEmail } from '../owners/create-owners.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { type CommandIo, print, readFirstLine } from './command-io.ts';
import { writeLines } from './terminal-text.ts';
import { withData } from './with-data.ts';

const by = 'command-line';

export async function runUserAdd(
  io: CommandIo,
  name: string,
  options: { email: string; password?: string; passwordStdin?: boolean; admin?: boolean; json?: boolean },
): Promise<void> {
  const given = options.passwordStdin
    ? await readFirstLine(io.stdin, maxPasswordLength * 4)
    : options.password;
  const password = given === undefined ? newPassword() : checkPassword(given, [name, options.email]);
  await withData(io, async ({ config, owners, issueKey }) => {
    if (given !== undefined) await refuseBreachedOf(io, config)(password);
    const user = await owners.createUser({
      name,
      email: options.email,
      passwordHash: await hashPassword(password),
      mustChangePassword: given === undefined,
      administrator: options.admin ?? false,
      by,
    });
    const { key } = await issueKey({
      ownerName: user.name,
      ownerKind: 'user',
      name: 'first key',
      expiresAt: null,
      by,
      notify: false,
    });
    const made = given === undefined ? { password } : {};
    const facts = {
      name: user.name,
      email: user.email,
      administrator: user.administrator,
      api_key: key,
      ...made,
    };
    print(
      io,
      options.json ?? false,
      facts,
      `Created the user ${user.name}. This is shown once:`,
      ...(given === undefined ? [`Password  ${password}`] : []),
      `API key   ${key}`,
    );
  });
}

export async function runUserPassword(
  io: CommandIo,
  name: string,
  options: { passwordStdin?: boolean; revokeKeys?: boolean; json?: boolean },
): Promise<void> {
  const given = options.passwordStdin ? await readFirstLine(io.stdin, maxPasswordLength * 4) : null;
  const password = given === null ? newPassword() : checkPassword(given, [name]);
  await withData(io, async ({ config, data, now }) => {
    const user = await ownerQueries(data).findOwner(name);
    if (user?.kind !== 'user') throw new NotFound(`there is no user ${name}`);
    const setPassword = createSetPassword({
      data,
      now,
      refuseBreached: refuseBreachedOf(io, config),
    });
    const keys = (await keyQueries(data).listKeys(user.id)).filter((key) => isUsable(key, now()));
    const publishers = await trustedPublisherQueries(data).list(user.id);
    const revokeKeys = options.revokeKeys ?? false;
    await setPassword({ user, password, mustChange: given === null, by, revokeKeys });
    const made = given === null ? { password } : {};
    const shown = given === null ? ' This is shown once, and changed at the next sign-in:' : '';
    print(
      io,
      options.json ?? false,
      { name: user.name, ...made, ...keyFacts(keys, publishers, revokeKeys) },
      `Set the password of ${user.name} and ended all sessions.${shown}`,
      ...(given === null ? [password] : []),
      ...keyLines(user.name, keys, revokeKeys),
      ...publisherLines(publishers, revokeKeys),
    );
  });
}

function refuseBreachedOf(io: CommandIo, { breachedPasswordsUrl }: Config): RefuseBreached {
  const warn = ({ why }: { why?: string }, message: string) =>
    writeLines(io.stderr, `slipway: ${message}: ${why}`);
  return createRefuseBreached({ url: breachedPasswordsUrl, log: { warn } });
}

const keyFacts = (keys: readonly ApiKey[], publishers: readonly TrustedPublisher[], areRevoked: boolean) => ({
  keys: keys.map(({ id, name, hint }) => ({ id, name, begins_with: hint })),
  trusted_publishers: publishers.map(({ id, name, provider }) => ({ id, name, provider })),
  keys_revoked: areRevoked,
});

function publisherLines(publishers: readonly TrustedPublisher[], areDeleted: boolean): string[] {
  if (publishers.length === 0) return [];
  const heading = areDeleted
    ? 'Deleted these trusted publishers:'
    : 'These trusted publishers can still upload. Set the password with --revoke-keys to delete them:';
  return [heading, ...publishers.map(({ name, provider }) => `  ${provider}  ${name}`)];
}

/** A new password does not revoke keys, and anyone who knew the old one may have created some. */
function keyLines(userName: string, keys: readonly ApiKey[], areRevoked: boolean): string[] {
  if (keys.length === 0) return [];
  const heading = areRevoked
    ? 'Revoked these API keys:'
    : `These API keys still work. Revoke one with: slipway key revoke ID --user ${userName}`;
  return [heading, ...keys.map(({ id, name, hint }) => `  ${id}  ${hint}…  ${name}`)];
}

/** Marks the address as confirmed, because the operator vouches for it. Single sign-on then identifies the account by it. */
export async function runUserEmail(
  io: CommandIo,
  name: string,
  address: string,
  options: { json?: boolean },
): Promise<void> {
  const email = checkEmail(address);
  await withData(io, async ({ data, now }) => {
    const user = await ownerQueries(data).findOwner(name);
    if (user?.kind !== 'user') throw new NotFound(`there is no user ${name}`);
    // A running server finds the job of the email by polling.
    const wakeOutbox = () => undefined;
    await changeEmail({ data, now, wakeOutbox }, user, { email, confirmed: true, by });
    print(
      io,
      options.json ?? false,
      { name: user.name, email },
      `Changed the email address of ${user.name} to ${email}.`,
    );
  });
}

export async function runSecondFactorReset(
  io: CommandIo,
  name: string,
  options: { json?: boolean },
): Promise<void> {
  await withData(io, async ({ data, now }) => {
    const user = await ownerQueries(data).findOwner(name);
    if (user?.kind !== 'user') throw new NotFound(`there is no user ${name}`);
    const { app, passkeys } = await resetFactors({ data, now }, user, by);
    const had = [
      ...(app ? ['authenticator app'] : []),
      ...(passkeys > 0 ? [administrationTexts.people.passkeys({ count: passkeys })] : []),
    ];
    const sentence =
      had.length === 0
        ? `${user.name} has no second factor. All sessions have ended.`
        : `Removed from ${user.name}: ${had.join(' and ')}. All sessions have ended; signing in requires only the password.`;
    print(io, options.json ?? false, { name: user.name, app, passkeys }, sentence);
  });
}

export async function runWorkspaceAdd(
  io: CommandIo,
  name: string,
  options: { displayName?: string; iconUrl?: string; owner?: string; json?: boolean },
): Promise<void> {
  await withData(io, async ({ owners }) => {
    const workspace = await owners.createWorkspace({
      name,
      displayName: options.displayName ?? null,
      iconUrl: options.iconUrl ?? null,
      ownerName: options.owner ?? null,
      by,
    });
    const facts = { name: workspace.name, display_name: workspace.displayName, icon_url: workspace.iconUrl };
    print(io, options.json ?? false, facts, `Created the Workspace ${workspace.name}.`);
  });
}

export async function runProjectAdd(
  io: CommandIo,
  name: string,
  options: { workspace?: string; description?: string; owner?: string; json?: boolean },
): Promise<void> {
  await withData(io, async ({ owners }) => {
    const project = await owners.createProject({
      name,
      description: options.description ?? '',
      workspaceName: options.workspace ?? null,
      ownerName: options.owner ?? null,
      by,
    });
    const facts = {
      name: project.name,
      description: project.description,
      workspace: project.workspace?.name ?? null,
    };
    print(io, options.json ?? false, facts, `Created the Project ${project.name}.`);
  });
}

export async function runTeamChange(
  io: CommandIo,
  verb: 'add' | 'remove',
  change: { projectName: string; team: string; userName: string },
  options: { json?: boolean },
): Promise<void> {
  await withData(io, async ({ owners }) => {
    const request = { ...change, by } as const;
    const changed = verb === 'add' ? await owners.addToTeam(request) : await owners.removeFromTeam(request);
    const { projectName: project, team, userName: user } = change;
    const now = verb === 'add' ? 'is now in' : 'is no longer in';
    const before = verb === 'add' ? 'was already in' : 'was not in';
    print(
      io,
      options.json ?? false,
      { project, team, user, changed },
      `${user} ${changed ? now : before} the ${team} team of ${project}.`,
    );
  });
}
