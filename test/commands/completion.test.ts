/** Completion in the real shells that are installed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/commands/command-line.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';

let slipway: Installation;
beforeAll(async () => {
  slipway = await createInstallation('sqlite');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await slipway.run(['completion', shell]);
    expect(code).toBe(0);
    await writeFile(join(slipway.folder, shell), stdout);
  }
});
afterAll(() => slipway.remove());

const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, {
    cwd: slipway.folder,
    encoding: 'utf8',
    env: { HOME: slipway.folder, TERM: 'dumb', PATH: process.env.PATH },
  })
    .split('\n')
    .filter((line) => line !== '');

/** Returns the completions of the words before the cursor. */
const completers: Record<string, (words: readonly string[]) => string[]> = {
  bash: (words) => {
    const script = [
      'source ./bash',
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length - 1}`,
      '_slipway',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n');
    return run('/usr/bin/bash', ['--norc', '-c', script]);
  },
  zsh: (words) => {
    // The words that `_describe` would offer; completion itself needs a terminal.
    const script = [
      'compdef() { : }',
      '_files() { : }',
      `_describe() { print -l -- "\${(P@)3%%:*}" }`,
      'source ./zsh',
      `words=(${words.map((word) => `'${word}'`).join(' ')})`,
      `CURRENT=${words.length}`,
      '_slipway',
    ].join('\n');
    const submitted = words.at(-1) ?? '';
    return run('/usr/bin/zsh', ['-f', '-c', script]).filter((word) => word.startsWith(submitted));
  },
  fish: (words) => {
    const script = `source ./fish; complete -C ${JSON.stringify(words.join(' '))}`;
    return run('/usr/bin/fish', ['--no-config', '-c', script]).map((line) => line.split('\t', 1)[0] ?? '');
  },
};

describe.each(Object.entries(completers))('completion in %s', (shell, complete) => {
  const isThere = existsSync(`/usr/bin/${shell}`);

  it.skipIf(!isThere)('offers commands, subcommands, options and argument values', () => {
    expect(complete(['slipway', 'ret'])).toEqual(['retention']);
    expect(complete(['slipway', ''])).toEqual(
      expect.arrayContaining(['serve', 'user', 'upload', 'completion']),
    );
    expect(complete(['slipway', 'user', ''])).toEqual(
      expect.arrayContaining(['add', 'password', 'email', 'reset-second-factor']),
    );
    expect(complete(['slipway', 'user', 'add', 'ann', '--ema'])).toEqual(['--email']);
    expect(complete(['slipway', 'upload', 'app.apk', '--rel'])).toEqual(['--release-note']);
    expect(complete(['slipway', 'completion', 'fi'])).toEqual(['fish']);
    expect(complete(['slipway', 'team', 'add', 'weather', 'dev'])).toEqual(['developer']);
  });

  it.skipIf(!isThere)('covers every command', () => {
    const program = createProgram({ ...process, environment: {}, host: process }, () => undefined);
    for (const command of program.commands) {
      expect(complete(['slipway', command.name()])).toContain(command.name());
      for (const inner of command.commands)
        expect(complete(['slipway', command.name(), inner.name()])).toContain(inner.name());
    }
  });
});

it('completion rejects other shells as a usage error', async () => {
  expect(await slipway.run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
});
