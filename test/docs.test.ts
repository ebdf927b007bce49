/** Compares the docs with the actual settings, commands, addresses and scripts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../src/commands/command-line.ts';
import { listSettings } from '../src/config.ts';
import { describeAddresses } from '../src/http/routes/describe-routes.ts';
import { startTestService, type TestService } from './support/test-service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the documentation', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
  });
  afterAll(() => slipway.close());

  it('names every setting, and no others', () => {
    const named = [...read('docs/configuration.md').matchAll(/^\| `(SLIPWAY_\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(named.sort()).toEqual(listSettings().sort());
  });

  it('names every command, and no others', () => {
    const commands = createProgram(
      {
        environment: {},
        stdin: process.stdin,
        stdout: process.stdout,
        stderr: process.stderr,
        host: process,
      },
      () => undefined,
    ).commands.flatMap((command) =>
      command.commands.length > 0
        ? command.commands.map((inner) => `${command.name()} ${inner.name()}`)
        : [command.name()],
    );
    const named = [
      ...read('docs/command-line.md').matchAll(
        /^\| `([a-z]+(?:-[a-z]+)*(?: (?:add|verify|export|reseal|mentions|erase|remove|list|show|protect|change|test|delete|restore|revoke|set|password|email|reset-second-factor|reset|rotate-secret|rotate|retire|end-old-secret)\b)?)/gm,
      ),
    ];
    expect(named.map(([, name]) => name).sort()).toEqual(commands.sort());
  });

  /** `UPDATE_GOLDEN=1 npm test -- test/docs.test.ts` regenerates the section. */
  it('lists every declared address', () => {
    const path = join(root, 'docs/addresses.md');
    const [intro = ''] = readFileSync(path, 'utf8').split(/^## /m, 1);
    const expected = `${intro}${describeAddresses(slipway.service.declared)}\n`;
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, expected);
    expect(readFileSync(path, 'utf8')).toBe(expected);
  });

  it('shows a tested proxy example in the README', () => {
    const exampleOf = (text: string, language: string) =>
      new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(text)?.[1];
    const tested = exampleOf(read('docs/behind-a-proxy.md'), 'caddyfile');
    expect(tested).toMatch(/apps\.example\.com/);
    expect(exampleOf(read('README.md'), 'caddyfile')).toBe(tested);
  });

  it('links only to existing files', () => {
    const pages = [
      'README.md',
      'ARCHITECTURE.md',
      ...readdirSync(join(root, 'docs')).filter(isMarkdown).map(inDocs),
      ...readdirSync(join(root, 'integrations'), { recursive: true, encoding: 'utf8' })
        .filter(isMarkdown)
        .map((name) => join('integrations', name)),
    ];
    const link = /(?:\]\(|\b(?:src|srcset)=")(?!https?:)([^)#"]+)(#[^)]*)?[)"]/g;
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(link)]
        .map(([, target = '']) => join(page, '..', target))
        .filter((target) => !exists(target)),
    );
    expect(dead).toEqual([]);
  });

  it('keeps the architecture map short and names only existing folders', () => {
    const map = read('ARCHITECTURE.md');
    expect(map.split('\n').length).toBeLessThanOrEqual(150);
    for (const folder of readdirSync(join(root, 'src'), { withFileTypes: true })) {
      if (folder.isDirectory()) expect(map).toContain(`${folder.name}/`);
    }
    const named = [...map.matchAll(/`((?:[a-z]+\/)+[a-z0-9-]+\.tsx?)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !exists(join('src', file)) && !exists(file))).toEqual([]);
  });

  it('describes every script of package.json', () => {
    const text = read('docs/development.md');
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    const missing = scripts.filter(
      (name) => !text.includes(`npm ${name}`) && !text.includes(`npm run ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

const isMarkdown = (name: string) => name.endsWith('.md');
const inDocs = (name: string) => `docs/${name}`;

function exists(path: string): boolean {
  try {
    readFileSync(join(root, path));
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EISDIR';
  }
}
