/** `slipway serve --demo`: a filled installation in a temporary folder, deleted on exit. */

import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../config.ts';
import type { CommandIo } from '../command-io.ts';
import { checkListenAddress, runServe } from '../serve-command.ts';
import { draw, writeLines } from '../terminal-text.ts';
import { UsageError } from '../uploader/upload-error.ts';
import { type FilledInstallation, fillInstallation } from './fill-installation.ts';
import { openWebhookSink } from './webhooks.ts';

/** The only settings that a demo takes from the environment. */
const sharedSettings = [
  'SLIPWAY_HOST',
  'SLIPWAY_PORT',
  'SLIPWAY_URL',
  'SLIPWAY_TRUST_PROXY',
  'SLIPWAY_LOG_LEVEL',
] as const;

export async function runDemo(io: CommandIo, options: { lan?: boolean }): Promise<void> {
  await refuseRealData(io);
  await checkListenAddress(readConfig(settingsOf(io, tmpdir())));
  const folder = await mkdtemp(join(tmpdir(), 'slipway-demo-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Also runs when a signal or an error ends the process; only SIGKILL prevents it.
  io.host.once('exit', remove);
  const stop = () => io.host.exit(1);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) io.host.once(signal, stop);
  const sink = await openWebhookSink();
  try {
    const settings = settingsOf(io, folder);
    writeLines(io.stdout, 'Creating the demo: people, apps, builds and sixty days of activity …');
    const filled = await fillInstallation(io, settings, sink);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) io.host.off(signal, stop);
    await runServe(
      { ...io, environment: settings, settingsFile: null },
      {
        ...options,
        parts: { outbound: { findTarget: sink.findTarget } },
        ready: (address) => draw(io.stdout, welcomeText(address, filled)),
      },
    );
  } finally {
    await sink.close();
    await rm(folder, { recursive: true, force: true });
    io.host.off('exit', remove);
  }
}

/** Throws `UsageError` if the settings name a database or file store: someone who sets one expects to see its data. */
async function refuseRealData({ environment }: CommandIo): Promise<void> {
  for (const name of ['SLIPWAY_DATABASE_URL', 'SLIPWAY_BLOB_URL'])
    if (environment[name]?.trim()) throw new UsageError(refusalOf(name));
  const folder = environment.SLIPWAY_DATA_DIR?.trim();
  const files = folder ? await readdir(folder).catch(() => []) : [];
  if (files.length > 0) throw new UsageError(refusalOf('SLIPWAY_DATA_DIR'));
}

const refusalOf = (setting: string) =>
  `--demo creates its own temporary data and cannot be combined with ${setting}, which names existing data. Unset ${setting}, or start without --demo.`;

function settingsOf({ environment }: CommandIo, folder: string): Record<string, string> {
  const shared = sharedSettings.flatMap((name) => {
    const value = environment[name]?.trim();
    return value ? [[name, value]] : [];
  });
  return {
    SLIPWAY_LOG_LEVEL: 'error',
    ...Object.fromEntries(shared),
    SLIPWAY_DATA_DIR: folder,
  };
}

function welcomeText(address: string, { administrator, password, places }: FilledInstallation): string {
  const width = Math.max(...places.map(({ title }) => title.length));
  const links = places.map(({ title, path }) => `    ${title.padEnd(width)}  ${address}${path}\n`);
  return `
  This is a demo. Everything in it is generated and will be deleted when it stops (Ctrl-C).

    Address   ${address}
    Name      ${administrator}
    Password  ${password}

  Everyone has this password: sign in as priya to see what a developer sees, as lena for a tester.

${links.join('')}
`;
}
