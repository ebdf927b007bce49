/**
 * The inputs of an upload. Options, environment variables, help, completion and docs derive from this list, and integrations
 * use its names. The environment name of `release-notes` is SLIPWAY_RELEASE_NOTES.
 */
import {
  type BuildField,
  type BuildFieldName,
  buildFieldList,
  buildFields,
} from '../../apps/build-fields.ts';
import { checkNames } from '../../insight/checks/check-result.ts';
import { anyPackageExtension } from '../../packages/package-extensions.ts';

export interface UploadInput {
  /** What stands for the value in help; null for a flag. */
  value: string | null;
  /** The section of the help. */
  section: 'build' | 'page' | 'key' | 'review' | 'origin' | 'output';
  description: string;
  short?: string;
  /** Earlier names. */
  aliases?: readonly string[];
  /** Names that turn a flag off; the first is documented. */
  off?: readonly string[];
  /** Whether it can also come from the environment. */
  environment?: true;
  /** Whether the value may begin with `-`, as a commit message may. */
  freeText?: true;
}

const originInput = (field: BuildField): UploadInput => ({
  value: buildFields[field].kind === 'url' ? 'URL' : 'TEXT',
  section: 'origin',
  description: buildFields[field].description
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, ''),
  ...(buildFields[field].kind === 'words' ? { freeText: true } : {}),
});

type OptionOf<Name extends string> = Name extends `${infer A}_${infer B}` ? `${A}-${OptionOf<B>}` : Name;
type FieldOption = OptionOf<BuildFieldName>;
export const optionOf = (field: BuildField) => buildFields[field].name.replaceAll('_', '-') as FieldOption;

const originInputs = Object.fromEntries(
  buildFieldList.map((field) => [optionOf(field), originInput(field)]),
) as Record<FieldOption, UploadInput>;

/** What `--fail-on` can list. The integrations that have their own client repeat it, and are tested against it. */
export const failConditions = ['install', ...checkNames, 'size=PERCENT%', 'size=BYTES'];
export const failReasons = `if nobody can install the build (install), if a check of the server failed and is not accepted (${checkNames.join(', ')}), or if the file grew more than a limit (size=5%, size=2MB); several with commas`;

const inputs = {
  file: { value: 'FILE', section: 'build', environment: true, description: `the ${anyPackageExtension}` },
  owner: {
    value: 'OWNER',
    section: 'build',
    short: 'o',
    environment: true,
    description: 'the user or project that the app belongs to',
  },
  server: {
    value: 'URL',
    section: 'build',
    short: 'u',
    aliases: ['url'],
    environment: true,
    description: 'the server (also SLIPWAY_URL; else where you signed in, else http://127.0.0.1:8080)',
  },
  message: {
    value: 'TEXT',
    section: 'build',
    short: 'm',
    environment: true,
    freeText: true,
    description: 'what changed in this build',
  },
  'ios-simulator-zip': {
    value: 'FILE',
    section: 'build',
    description: "iOS: a zip file with the simulator build's .app folder",
  },
  attestation: {
    value: 'FILE',
    section: 'build',
    description: 'a Sigstore bundle about the file, such as the bundle-path of actions/attest',
  },
  symbols: {
    value: 'FILES',
    section: 'build',
    environment: true,
    description:
      'symbol files of the build: a zip file of dSYMs, mapping.txt, native-debug-symbols.zip; several with commas',
  },
  page: {
    value: 'NAME',
    section: 'page',
    aliases: ['distribution-name'],
    environment: true,
    description: 'create or update the page with this name, for example a branch name',
  },
  'page-key': {
    value: 'KEY',
    section: 'page',
    aliases: ['distribution-key'],
    description: 'update the page with this key (end of its address); overrides --page',
  },
  'release-notes': {
    value: 'TEXT',
    section: 'page',
    aliases: ['release-note'],
    environment: true,
    freeText: true,
    description: 'shown on the page (default: the message)',
  },
  notify: {
    value: null,
    section: 'page',
    off: ['no-notify', 'disable-notify'],
    environment: true,
    description: 'whether to email testers (default: yes)',
  },
  trusted: {
    value: null,
    section: 'key',
    environment: true,
    description: 'authenticate with the ID token of the CI service (default if there is no key)',
  },
  'key-stdin': {
    value: null,
    section: 'key',
    aliases: ['api-key-stdin'],
    description: 'read the API key from standard input',
  },
  comment: {
    value: null,
    section: 'review',
    off: ['no-comment'],
    environment: true,
    description:
      'write one comment on the pull or merge request, which later uploads edit (needs GITHUB_TOKEN or GITLAB_TOKEN)',
  },
  status: {
    value: null,
    section: 'review',
    off: ['no-status'],
    environment: true,
    description:
      'set the commit status slipway/build/PLATFORM/PACKAGE, with a link to the build; it fails if a check failed',
  },
  'pull-request': {
    value: 'NUMBER',
    section: 'review',
    environment: true,
    description: 'the pull or merge request (default: from the CI service)',
  },
  'fail-on': {
    value: 'LIST',
    section: 'review',
    environment: true,
    description: `exit with 3 after the upload ${failReasons}`,
  },
  ...originInputs,
  json: {
    value: null,
    section: 'output',
    description: "print the server's answer and the outputs as one line of JSON",
  },
  qr: {
    value: null,
    section: 'output',
    off: ['no-qr'],
    description: "show the page's QR code (default: on a terminal)",
  },
  quiet: { value: null, section: 'output', short: 'q', description: 'only warnings and errors' },
  retries: {
    value: 'N',
    section: 'output',
    description:
      'retries when the connection breaks or the server answers 429, 502, 503 or 504 (default: 3; for files above 64 MiB, 10 without progress)',
  },
  timeout: {
    value: 'SECONDS',
    section: 'output',
    description: 'fail after this time without data (default: 300)',
  },
  'checks-timeout': {
    value: 'SECONDS',
    section: 'output',
    description: 'wait at most this time for the checks of the server (default: 300)',
  },
  'idempotency-key': {
    value: 'KEY',
    section: 'output',
    description: 'uploads with the same key within a day count once (default: random)',
  },
  help: { value: null, section: 'output', short: 'h', description: 'show this help' },
  version: { value: null, section: 'output', short: 'V', description: 'show the version' },
} as const satisfies Record<string, UploadInput>;

export type InputName = keyof typeof inputs;
export const uploadInputs: Readonly<Record<InputName, UploadInput>> = inputs;
export const inputNames = Object.keys(inputs) as InputName[];

export const environmentName = (name: string) => `SLIPWAY_${name.toUpperCase().replaceAll('-', '_')}`;

/** Every spelling of every option, with what it means. */
export const optionSpellings = new Map<string, { name: InputName; on: boolean }>(
  inputNames.flatMap((name) => [
    ...[name, ...(uploadInputs[name].aliases ?? [])].map((each) => [each, { name, on: true }] as const),
    ...(uploadInputs[name].off ?? []).map((each) => [each, { name, on: false }] as const),
  ]),
);

export const uploadOptionNames = [...optionSpellings.keys()].map((name) => `--${name}`);

export const earlierOptionNames = () =>
  inputNames.flatMap((name) =>
    [...(uploadInputs[name].aliases ?? []), ...(uploadInputs[name].off?.slice(1) ?? [])].map(
      (each) => `--${each}`,
    ),
  );

const sections: Record<UploadInput['section'], string> = {
  build: 'Build',
  page: 'Distribution page',
  key: 'Credentials',
  review: 'Review',
  origin:
    'Build origin (default: read from GitHub Actions, GitLab, Bitrise, CircleCI, Buildkite, Travis,\nAzure Pipelines, Xcode Cloud, Codemagic, Jenkins; "" for none)',
  output: 'Options',
};

const helpColumns = 98;
const termColumns = 29;

/** Describes all options, one paragraph each. */
export function describeInputs(): string {
  return Object.entries(sections)
    .map(([section, title]) => {
      const shown = inputNames.filter((name) => uploadInputs[name].section === section);
      return `${title}:\n${shown.map(describeInput).join('\n')}\n`;
    })
    .join('\n');
}

function describeInput(name: InputName): string {
  const { value, short, off, environment, description } = uploadInputs[name];
  const term = `  ${short ? `-${short}, ` : ''}--${name}${off ? `, --${off[0]}` : ''}${value ? ` ${value}` : ''}`;
  const text = `${description}${environment ? ` [${environmentName(name)}]` : ''}`;
  const lines = wrap(text, helpColumns - termColumns);
  const indent = ' '.repeat(termColumns);
  const first = term.length < termColumns ? term.padEnd(termColumns) : `${term}\n${indent}`;
  return first + lines.join(`\n${indent}`);
}

export function wrap(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

/** The rows of the table in `docs/command-line.md`. */
/** As a sentence. */
export const describedInDocs = (description: string) =>
  `${description.replace(/^[a-z](?![A-Z])/, (letter) => letter.toUpperCase())}.`;

export function inputTable(): string {
  const code = (text: string) => `\`${text}\``;
  const row = (name: InputName) => {
    const { value, short, aliases = [], off = [], environment, description } = uploadInputs[name];
    const others = [...(short ? [`-${short}`] : []), ...[...off, ...aliases].map((each) => `--${each}`)];
    const cells = [
      code(`--${name}${value ? ` ${value}` : ''}`) + others.map((each) => `, ${code(each)}`).join(''),
      environment ? code(environmentName(name)) : '',
      describedInDocs(description),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  };
  return ['| option | environment | meaning |', '|---|---|---|', ...inputNames.map(row)].join('\n');
}
