/** Completion in the real shells that are installed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/commands/command-line.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

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

type Words = readonly string[];

const quoted = (words: Words) => words.map((word) => `'${word}'`).join(' ');

/** In one process of the shell: the completions of each list of words before the cursor, after a line `=`. */
const shells: Record<
  string,
  { program: string; args: string[]; start: string; complete(words: Words): string }
> = {
  bash: {
    program: '/usr/bin/bash',
    args: ['--norc', '-c'],
    start: 'source ./bash',
    complete: (words) =>
      `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _slipway; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    program: '/usr/bin/zsh',
    args: ['-f', '-c'],
    // The words that `_describe` would offer; completion itself needs a terminal.
    start: `compdef() { : }\n_files() { : }\n_describe() { print -l -- "\${(P@)3%%:*}" }\nsource ./zsh`,
    complete: (words) => `words=(${quoted(words)}); CURRENT=${words.length}; _slipway`,
  },
  fish: {
    program: '/usr/bin/fish',
    args: ['--no-config', '-c'],
    start: 'source ./fish',
    complete: (words) => `complete -C ${JSON.stringify(words.join(' '))}`,
  },
};

describe.each(Object.entries(shells))('completion in %s', (shell, { program, args, start, complete }) => {
  const isThere = existsSync(program) && (runsEverything || shell === 'bash');
  const completions = (lists: readonly Words[]) => {
    const script = [start, ...lists.flatMap((words) => ['echo =', complete(words)])].join('\n');
    const [, ...answers] = execFileSync(program, [...args, script], {
      cwd: slipway.folder,
      encoding: 'utf8',
      env: { HOME: slipway.folder, TERM: 'dumb', PATH: process.env.PATH },
    }).split(/^=$/m);
    return answers.map((answer, index) =>
      answer
        .split('\n')
        .map((line) => line.split('\t', 1)[0] ?? '')
        .filter((word) => word !== '' && word.startsWith(lists[index]?.at(-1) ?? '')),
    );
  };

  it.skipIf(!isThere)('offers commands, subcommands, options and argument values', () => {
    expect(
      completions([
        ['slipway', 'ret'],
        ['slipway', ''],
        ['slipway', 'user', ''],
        ['slipway', 'user', 'add', 'ann', '--ema'],
        ['slipway', 'upload', 'app.apk', '--rel'],
        ['slipway', 'completion', 'fi'],
        ['slipway', 'team', 'add', 'weather', 'dev'],
      ]),
    ).toEqual([
      ['retention'],
      expect.arrayContaining(['serve', 'user', 'upload', 'completion']),
      expect.arrayContaining(['add', 'password', 'email', 'reset-second-factor']),
      ['--email'],
      expect.arrayContaining(['--release-note', '--release-notes']),
      ['fish'],
      ['developer'],
    ]);
  });

  it.skipIf(!isThere)('covers every command', () => {
    const tree = createProgram({ ...process, environment: {}, host: process }, () => undefined);
    const commands = tree.commands.flatMap((command) => [
      ['slipway', command.name()],
      ...command.commands.map((inner) => ['slipway', command.name(), inner.name()]),
    ]);
    const answers = completions(commands);
    for (const [index, words] of commands.entries()) expect(answers[index]).toContain(words.at(-1));
  });
});

it('completion rejects other shells as a usage error', async () => {
  expect(await slipway.run(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
});
