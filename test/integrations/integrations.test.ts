/** What every integration has in common: the inputs and outputs of the uploader, its lines of shell, and a current bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
// @ts-expect-error a script without types
import { bundleAction } from '../../scripts/bundle-uploader.mjs';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import {
  describedInDocs,
  environmentName,
  failReasons,
  inputNames,
  uploadInputs,
} from '../../src/commands/uploader/upload-inputs.ts';
import { stepOutputNames } from '../../src/commands/uploader/upload-outputs.ts';
import { type CiSystem, ciSnippet, ciSystems, isTrustedSystem } from '../../src/uploads/ci/ci-snippets.ts';
import { ciTexts } from '../../src/uploads/ci/ci-texts.ts';
import { integrationsFolder, readIntegration, yamlBlock } from './ci-job.ts';

const update = process.env.UPDATE_GOLDEN === '1';

interface Described {
  name: string;
  meaning: string;
}

const inputs: Described[] = [
  ...inputNames
    .filter((name) => uploadInputs[name].environment && name !== 'trusted')
    .map((name) => ({ name, meaning: describedInDocs(uploadInputs[name].description) })),
  { name: 'key', meaning: 'An API key. Without one, the ID token of the job is exchanged for a key.' },
];
const outputMeanings: Record<string, string> = {
  'build-url': 'Address of the build.',
  'page-url': 'Address of the distribution page.',
  'qr-url': 'Address of a picture with the QR code of the page.',
  revision: 'Number of the build within its app.',
  size: 'Size of the file in bytes.',
  'size-change': 'Difference to the size of the build that the page served before, in bytes.',
  json: 'The complete answer of the server and all outputs, as one line of JSON.',
};
const outputs: Described[] = stepOutputNames.map((name) => ({ name, meaning: outputMeanings[name] ?? '' }));
/** Values of variables are short, so that of the JSON is in a file. */
const inFile = {
  name: 'json',
  meaning: 'Path of a file with the complete answer of the server and all outputs, as JSON.',
};
const variables = outputs.map((output) => (output.name === inFile.name ? inFile : output));

const spellings: Record<string, (name: string) => string> = {
  hyphens: (name) => name,
  underscores: (name) => name.replaceAll('-', '_'),
  environment: environmentName,
};
const named = (list: readonly Described[], spelling = 'hyphens') =>
  list.map(({ name }) => spellings[spelling]?.(name)).sort();
/** In `step.yml`, an input is an object with its name and `opts`. */
const keysOf = (list: object[]) =>
  list.flatMap((one) => Object.keys(one).filter((key) => key !== 'opts')).sort();

const action = parse(readIntegration('github-action/action.yml'));
const step = parse(readIntegration('bitrise/step.yml'));
const [component, jobs] = parseAllDocuments(readIntegration('gitlab/templates/upload/template.yml')).map(
  (document) => document.toJS(),
);

describe('inputs and outputs of integrations', () => {
  it('are those of the uploader, by the same names', () => {
    const without = (names: string[], own: string[]) => names.filter((name) => !own.includes(name)).sort();
    const { spec } = component;
    expect(without(Object.keys(action.inputs), ['close-pages', 'github-token'])).toEqual(named(inputs));
    expect(without(Object.keys(spec.inputs), ['job-name', 'stage', 'image'])).toEqual(named(inputs));
    expect(keysOf(step.inputs)).toEqual(named(inputs, 'underscores'));
    const [{ opts }] = step.inputs.filter((input: object) => 'fail_on' in input);
    const described = [action.inputs['fail-on'], spec.inputs['fail-on'], { description: opts.summary }];
    for (const { description } of described) expect(description).toContain(failReasons);
    expect(Object.keys(action.outputs).sort()).toEqual(named(outputs));
    expect(keysOf(step.outputs)).toEqual(named(outputs, 'environment'));
    const [job] = Object.values<{ variables: Record<string, string> }>(jobs);
    for (const { name } of inputs.filter(({ name }) => name !== 'key'))
      expect(job?.variables[environmentName(name)]).toBe(`$[[ inputs.${name} ]]`);
  });

  it.each(['github-action', 'gitlab', 'bitrise', 'scripts'])(
    'are listed by the README of %s',
    async (folder) => {
      const text = readIntegration(`${folder}/README.md`);
      const expected = text.replace(
        /<!-- (inputs|outputs): (\w+) -->\n(?:\n(?:\|.*\n)+)?/g,
        (_, kind: string, spelling: string) => {
          const list = kind === 'inputs' ? inputs : spelling === 'environment' ? variables : outputs;
          const rows = list.map(
            ({ name, meaning }) => `| \`${spellings[spelling]?.(name)}\` | ${meaning} |\n`,
          );
          return `<!-- ${kind}: ${spelling} -->\n\n| ${kind.slice(0, -1)} | meaning |\n|---|---|\n${rows.join('')}`;
        },
      );
      if (update) await writeFile(join(integrationsFolder, folder, 'README.md'), expected);
      else expect(text).toBe(expected);
      expect(text).toMatch(/<!-- inputs: [\s\S]*<!-- outputs: /);
    },
  );
});

describe('the page "Upload from CI", the docs and the integrations', () => {
  const docs = readFileSync(join(root, 'docs/continuous-integration.md'), 'utf8');
  const place = {
    origin: 'https://apps.example.com',
    owner: 'acme',
    page: 'Beta',
    platform: 'android',
  } as const;

  it('have the same lines', async () => {
    const expected = docs.replace(
      /<!-- snippet: (\w+) -->\n(?:\n```yaml\n[\s\S]*?```\n)?/g,
      (_, system: CiSystem) =>
        `<!-- snippet: ${system} -->\n\n\`\`\`yaml\n${ciSnippet(system, place, true)}\n\`\`\`\n`,
    );
    if (update) await writeFile(join(root, 'docs/continuous-integration.md'), expected);
    else expect(docs).toBe(expected);
    expect(docs).toContain(`curl -fsSO ${place.origin}/cli/slipway.mjs`);
  });

  it('agree on the systems, and on which need a stored key', () => {
    const rows = [...docs.matchAll(/^\| ([A-Z]?[\w ]+?) \| (yes|no)\b.*\| \[.*\]\((.*?)(?:#.*)?\) \|$/gm)];
    expect(rows.map(([, name, answer]) => [name, answer]).sort()).toEqual(
      ciSystems.map((system) => [ciTexts.systems[system], isTrustedSystem(system) ? 'yes' : 'no']).sort(),
    );
    for (const [, , , file = ''] of rows)
      expect([file, existsSync(join(root, 'docs', file))]).toEqual([file, true]);
    const reasons = ciSystems.filter((system) => Object.hasOwn(ciTexts.keyBecause, system));
    expect(reasons).toEqual(ciSystems.filter((system) => !isTrustedSystem(system)));
  });

  it('ask each system for its ID token in the same way', () => {
    const snippet = (system: CiSystem) => parse(ciSnippet(system, place, true));
    const { permissions } = yamlBlock('github-action/README.md', 'preview.yml');
    expect(permissions).toMatchObject(snippet('github').permissions);
    const [job] = Object.values<{ id_tokens: object }>(jobs);
    expect(Object.keys(job?.id_tokens ?? {})).toEqual(Object.keys(snippet('gitlab').upload.id_tokens));
    const { step: pipe } = yamlBlock('scripts/README.md', 'bitbucket-pipelines.yml').pipelines.default[0];
    expect(pipe.oidc).toEqual(snippet('bitbucket')[0].step.oidc);
    for (const mark of ['.circleci/config.yml', '.buildkite', 'bitbucket-pipelines.yml'])
      expect(JSON.stringify(yamlBlock('scripts/README.md', mark))).not.toContain('API_KEY');
    for (const mark of ['codemagic.yaml', 'azure-pipelines.yml'])
      expect(JSON.stringify(yamlBlock('scripts/README.md', mark))).toMatch(/API_KEY|groups/);
    const [, token] = yamlBlock('bitrise/README.md', 'without a stored key').workflows.deploy.steps;
    expect(token).toEqual({ 'get-identity-token@0': { inputs: [{ audience: place.origin }] } });
  });
});

describe('programs of integrations', () => {
  it('fetch the uploader with the same lines', () => {
    const shared = (text: string) => /# --- Fetches [\s\S]*# --- End of the same lines\. ---/.exec(text)?.[0];
    const [{ script }] = Object.values<{ script: string[] }>(jobs) as [{ script: string[] }];
    const expected = shared(readIntegration('scripts/slipway-upload.sh'));
    expect(expected).toBeDefined();
    expect(shared(readIntegration('bitrise/step.sh'))).toBe(expected);
    expect(shared(script.join('\n'))).toBe(expected);
    const closed = readIntegration('gitlab/templates/closed/template.yml').replaceAll(/^ {6}/gm, '');
    expect(shared(closed)).toBe(expected);
  });

  /** `UPDATE_GOLDEN=1 npm test -- test/integrations/integrations.test.ts` writes it. */
  it('contain the current uploader, where they are a bundle', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-action-'));
    try {
      const built = await readFile(await bundleAction(folder), 'utf8');
      if (update) await bundleAction();
      expect(readIntegration('github-action/dist/index.js') === built).toBe(true);
      expect([...built.matchAll(/^import .* from "(?!node:)(.*)";$/gm)]).toEqual([]);
      // Catalogs of messages would double it.
      expect(built).not.toMatch(/^\/\/ .*(messageformat|\/language\/)/m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('have the structure that Bitrise requires of a step', () => {
    for (const name of ['website', 'source_code_url', 'support_url'])
      expect(step[name]).toMatch(/^https:\/\//);
    expect(step.summary).toMatch(/^.{1,100}$/);
    const options: Record<string, unknown>[] = [...step.inputs, ...step.outputs].map(({ opts }) => opts);
    for (const { title, summary } of options)
      expect([title, summary]).toEqual([expect.any(String), expect.any(String)]);
    const secrets = options.filter((each) => each.is_sensitive);
    expect(secrets).toHaveLength(1);
    expect(secrets.every((each) => each.is_expand)).toBe(true);
  });

  it('are not part of the npm package', async () => {
    const { files } = JSON.parse(await readFile(join(integrationsFolder, '../package.json'), 'utf8'));
    expect(files.filter((name: string) => name.includes('integrations'))).toEqual([]);
  });
});
