/** A Slipway server as a process, and jobs of CI systems that upload to it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import { buildApk } from '../support/build-apk.ts';
import { createInstallation } from '../support/run-cli.ts';

export const integrationsFolder: string = join(root, 'integrations');
export const readIntegration = (name: string) => readFileSync(join(integrationsFolder, name), 'utf8');

/** Blocks of code in a README, by language. */
export const codeBlocks = (readme: string, language: string): string[] =>
  [...readIntegration(readme).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, block = '']) => block,
  );
// biome-ignore lint/suspicious/noExplicitAny: the structure is that of each CI system
export const yamlBlock = (readme: string, mark: string): any =>
  parse(codeBlocks(readme, 'yaml').find((block) => block.includes(mark)) ?? '');

/** Programs of Debian that jobs use. */
export const jobTools = ['bash', 'curl', 'git', 'sha256sum'];
export const hasJobTools = jobTools.every((name) =>
  ['/usr/bin', '/bin'].some((folder) => existsSync(join(folder, name))),
);

export const jobKey = 'key-of-the-integrations';
export const packageName = 'com.example.integrations';

export interface JobEnd {
  code: number;
  stdout: string;
  stderr: string;
}

export type JobServer = Awaited<ReturnType<typeof startJobServer>>;

/** `project`: null for an empty installation. */
export async function startJobServer(
  settings: Record<string, string> = {},
  { project = 'acme' }: { project?: string | null } = {},
) {
  const slipway = await createInstallation('sqlite');
  const server = await slipway.serve({
    environment: { SLIPWAY_ADMIN_API_KEY: jobKey, SLIPWAY_ADMIN_PASSWORD: 'a long password', ...settings },
  });
  if (project !== null) await slipway.runJson(['project', 'add', project]);
  const bin = join(slipway.folder, 'bin');
  await mkdir(bin);
  const addProgram = async (name: string, script: string) => {
    await writeFile(join(bin, name), script);
    await chmod(join(bin, name), 0o755);
  };
  await addProgram('node', `#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  return {
    origin: server.origin,
    bin,
    addProgram,
    /** Replaces the address of the examples. */
    here: (text: string) => text.replaceAll('https://apps.example.com', server.origin),
    /** A working copy with an app and the scripts, as after the steps that build. */
    checkout: async () => {
      const folder = await mkdtemp(join(slipway.folder, 'job-'));
      for (const name of ['slipway-upload.sh', 'ci_post_xcodebuild.sh'])
        await cp(join(integrationsFolder, 'scripts', name), join(folder, name));
      const outputs = join(folder, 'app/build/outputs/apk/release');
      await mkdir(outputs, { recursive: true });
      await writeFile(join(outputs, 'app-release.apk'), buildApk({ packageName }));
      await writeFile(join(folder, 'app-release.apk'), buildApk({ packageName }));
      await runProgram('git', ['init', '--quiet', '--initial-branch=main'], folder);
      await runProgram('git', ['add', '.'], folder);
      await runProgram(
        'git',
        [...'-c user.name=a -c user.email=a@example.com commit -q -m'.split(' '), commitTitle],
        folder,
      );
      return folder;
    },
    /** Runs a script as a job does, with only these variables. */
    run: (folder: string, script: string, env: Record<string, string>) =>
      runProgram('bash', ['-e', '-o', 'pipefail', '-c', script], folder, {
        PATH: `${bin}:/usr/bin:/bin`,
        HOME: folder,
        ...env,
      }),
    /** The newest build of the app, as the command line lists it. */
    newestBuild: async (name = packageName) => {
      const builds = await slipway.runJson(['build', 'list', 'acme', name]);
      return { ...builds[0], count: builds.length };
    },
    remove: slipway.remove,
  };
}

/** Text that a shell or a CI system must not interpret. */
export const commitTitle = '-n "Fix" $HOME `id` $(id) 100% <b> é';

export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: cwd },
): Promise<JobEnd> {
  const child = spawn(program, args, { cwd, env });
  const end = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    end.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    end.stderr += text;
  });
  child.stdin.end();
  const [code] = await once(child, 'close');
  return { ...end, code };
}

export const readOutputs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
