/** The form of a trusted publisher: the fields that people know of their CI, and the rules for claims that they stand for. */
import type { ClaimRule, TrustedPublisher } from '../../accounts/trusted-publishing/trusted-publisher.ts';
import type { TrustedPublisherInput } from '../../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { FormInvalid } from '../../core/errors.ts';
import type { TrustedProvider } from '../../owners/build-source.ts';
import { publisherTexts } from './trusted-publishing-texts.ts';

export const publisherTextFields = [
  'server',
  'organization',
  'workspace',
  'repository',
  'project',
  'pipeline',
  'workflow',
  'environment',
  'branch',
] as const;
export type PublisherTextField = (typeof publisherTextFields)[number];

export type PublisherValues = Record<
  PublisherTextField | 'name' | 'rules' | 'platform' | 'package' | 'page' | 'self_hosted',
  string
>;

export const emptyPublisherValues: PublisherValues = {
  name: '',
  rules: '',
  platform: '',
  package: '',
  page: '',
  self_hosted: '',
  ...(Object.fromEntries(publisherTextFields.map((field) => [field, ''])) as Record<
    PublisherTextField,
    string
  >),
};

export interface PublisherField {
  field: PublisherTextField;
  example: string;
  isRequired?: true;
  /** Returns the rules of a value. `values`: those of the other fields. */
  write?(value: string, values: PublisherValues): ClaimRule[];
  /** Returns the value, if these rules have one, with the claims it stands for. */
  read?(rules: readonly ClaimRule[]): { value: string; claims: readonly string[] } | null;
}

/** `a` equals, `a*` is a prefix, and `a | b` is one of these. */
function ruleOf(claim: string, text: string): ClaimRule {
  const values = text.split('|').map((value) => value.trim());
  if (values.length > 1) return { claim, one_of: values };
  const value = text.trim();
  return value.endsWith('*') ? { claim, prefix: value.slice(0, -1) } : { claim, equals: value };
}

export const ruleText = (rule: ClaimRule): string =>
  rule.equals ?? rule.one_of?.join(' | ') ?? `${rule.prefix}*`;

const byClaim = (claim: string, before = ''): Required<Pick<PublisherField, 'write' | 'read'>> => ({
  write: (value) => [
    ruleOf(
      claim,
      value
        .split('|')
        .map((one) => before + one.trim())
        .join('|'),
    ),
  ],
  read: (rules) => {
    const rule = rules.find((one) => one.claim === claim);
    const values = rule && ruleText(rule).split(' | ');
    if (!values?.every((one) => one.startsWith(before))) return null;
    return { value: values.map((one) => one.slice(before.length)).join(' | '), claims: [claim] };
  },
});

/** GitHub names the file with its repository and ref, such as `acme/tide/.github/workflows/release.yml@refs/heads/main`. */
const workflow: Pick<PublisherField, 'write' | 'read'> = {
  write: (file, { repository }) => {
    if (/[*|]/.test(repository)) throw new FormInvalid({ workflow: [publisherTexts.oneRepository] });
    return [{ claim: 'workflow_ref', prefix: `${repository.trim()}/.github/workflows/${file}@` }];
  },
  read: (rules) => {
    const prefix = rules.find(({ claim }) => claim === 'workflow_ref')?.prefix;
    const repository = rules.find(({ claim }) => claim === 'repository')?.equals;
    const [, of, file] = /^(.*)\/\.github\/workflows\/([^/@]+)@$/.exec(prefix ?? '') ?? [];
    return file === undefined || of !== repository ? null : { value: file, claims: ['workflow_ref'] };
  },
};

const bitriseRepository: Pick<PublisherField, 'write' | 'read'> = {
  write: (value) => {
    const [owner = '', slug = ''] = value.split('/');
    return [ruleOf('repository_owner', owner), ruleOf('repository_slug', slug)];
  },
  read: (rules) => {
    const of = (claim: string) => rules.find((rule) => rule.claim === claim)?.equals;
    const [owner, slug] = [of('repository_owner'), of('repository_slug')];
    if (owner === undefined || slug === undefined) return null;
    return { value: `${owner}/${slug}`, claims: ['repository_owner', 'repository_slug'] };
  },
};

/** Bitbucket’s tokens have it in braces, which people leave out. */
const inBraces = (value: string) => (/^[\da-f-]{36}$/i.test(value) ? `{${value}}` : value);
const uuid = byClaim('repositoryUuid');
const bitbucketRepository: Pick<PublisherField, 'write' | 'read'> = {
  ...uuid,
  write: (value, values) => uuid.write(inBraces(value), values),
};

const required = { isRequired: true } as const;

/** In the order of the form. A field without rules is part of the issuer. */
export const providerFields: Readonly<Record<TrustedProvider, readonly PublisherField[]>> = {
  github: [
    { field: 'repository', example: 'acme/tide', ...required, ...byClaim('repository') },
    { field: 'workflow', example: 'release.yml', ...workflow },
    { field: 'environment', example: 'production', ...byClaim('environment') },
    { field: 'branch', example: 'main', ...byClaim('ref', 'refs/heads/') },
    { field: 'server', example: 'https://github.example.com' },
  ],
  gitlab: [
    { field: 'project', example: 'acme/tide', ...required, ...byClaim('project_path') },
    { field: 'environment', example: 'production', ...byClaim('environment') },
    // `ref` is also the name of a tag, and of the source branch of a merge request.
    { field: 'branch', example: 'main', ...byClaim('ref_path', 'refs/heads/') },
    { field: 'server', example: 'https://gitlab.com' },
  ],
  circleci: [
    { field: 'organization', example: '0f3a9c1e-…', ...required },
    { field: 'project', example: '7c2b6d4e-…', ...required, ...byClaim('oidc.circleci.com/project-id') },
  ],
  bitbucket: [
    { field: 'workspace', example: 'acme', ...required },
    { field: 'repository', example: '{3f1c…}', ...required, ...bitbucketRepository },
    { field: 'branch', example: 'main', ...byClaim('branchName') },
  ],
  buildkite: [
    { field: 'organization', example: 'acme', ...required, ...byClaim('organization_slug') },
    { field: 'pipeline', example: 'tide', ...required, ...byClaim('pipeline_slug') },
    { field: 'branch', example: 'main', ...byClaim('build_branch') },
  ],
  bitrise: [{ field: 'repository', example: 'acme/tide', ...required, ...bitriseRepository }],
  other: [{ field: 'server', example: 'https://ci.example.com', ...required }],
};

const circleIssuer = 'https://oidc.circleci.com/org/';
const bitbucketIssuer = [
  'https://api.bitbucket.org/2.0/workspaces/',
  '/pipelines-config/identity/oidc',
] as const;
const githubSuffix = '/_services/token';
const githubEnterprise = 'https://token.actions.githubusercontent.com/';

/** Null: that of the provider. */
function issuerOf(provider: TrustedProvider, values: PublisherValues): string | null {
  const [server, organization, workspace] = [values.server, values.organization, values.workspace].map(
    (value) => value.trim(),
  );
  if (provider === 'circleci') return circleIssuer + organization;
  if (provider === 'bitbucket') return bitbucketIssuer.join(workspace);
  if (!server) return null;
  if (provider !== 'github' || server.startsWith(githubEnterprise) || server.endsWith(githubSuffix))
    return server;
  return server.replace(/(?<!\/)\/+$/, '') + githubSuffix;
}

function issuerValues({ provider, issuer }: TrustedPublisher): Partial<PublisherValues> {
  if (provider === 'circleci') return { organization: issuer.slice(circleIssuer.length) };
  if (provider === 'bitbucket')
    return { workspace: issuer.slice(bitbucketIssuer[0].length, -bitbucketIssuer[1].length) };
  if (provider !== 'github') return { server: issuer };
  if (issuer.startsWith(githubEnterprise)) return { server: issuer };
  return issuer.endsWith(githubSuffix) ? { server: issuer.slice(0, -githubSuffix.length) } : {};
}

/** Returns the values of the form. Rules that no field stands for are lines. */
export function publisherValuesOf(publisher: TrustedPublisher): PublisherValues {
  const { provider, rules, app } = publisher;
  const read = providerFields[provider].flatMap(({ field, read }) => {
    const found = read?.(rules);
    return found ? [{ field, ...found }] : [];
  });
  const known = read.flatMap(({ claims }) => claims);
  return {
    ...emptyPublisherValues,
    ...issuerValues(publisher),
    ...Object.fromEntries(read.map(({ field, value }) => [field, value])),
    name: publisher.name,
    rules: rules
      .filter(({ claim }) => !known.includes(claim))
      .map((rule) => `${rule.claim} = ${ruleText(rule)}`)
      .join('\n'),
    platform: app?.platform ?? '',
    package: app?.packageName ?? '',
    page: publisher.pageNamePattern ?? '',
    self_hosted: publisher.allowsSelfHosted ? 'yes' : '',
  };
}

export function publisherInputOf(provider: TrustedProvider, values: PublisherValues): TrustedPublisherInput {
  const stated = providerFields[provider].flatMap(({ field, write }) => {
    const value = values[field].trim();
    return write && value !== '' ? write(value, values) : [];
  });
  const lines = values.rules
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [claim = '', ...rest] = line.split('=');
      return ruleOf(claim.trim(), rest.join('='));
    });
  return {
    name: values.name,
    provider,
    issuer: issuerOf(provider, values),
    rules: [...stated, ...lines],
    app:
      values.platform === 'android' || values.platform === 'ios'
        ? { platform: values.platform, packageName: values.package.trim() }
        : null,
    pageNamePattern: values.page.trim() || null,
    allowsSelfHosted: provider === 'github' && values.self_hosted !== '',
  };
}

/** Errors name fields as in JSON; the form has others for some. */
export function renameErrors(provider: TrustedProvider, error: unknown): unknown {
  if (!(error instanceof FormInvalid)) return error;
  const fields = providerFields[provider];
  const issuer = fields.find(({ write }) => write === undefined)?.field ?? 'name';
  const identity = fields.find(({ isRequired, write }) => isRequired && write)?.field ?? 'rules';
  const names: Readonly<Record<string, string>> = {
    issuer,
    rules: identity,
    app: 'package',
    page_name_pattern: 'page',
    allow_self_hosted: 'self_hosted',
  };
  return new FormInvalid(
    Object.fromEntries(Object.entries(error.errors).map(([name, errors]) => [names[name] ?? name, errors])),
  );
}
