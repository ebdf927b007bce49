/** What the page asks for to trust a repository, and the trusted publisher that it stands for. */
import {
  publisherLimits,
  type TrustedPublisher,
} from '../../accounts/trusted-publishing/trusted-publisher.ts';
import type { TrustedPublisherInput } from '../../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { FormInvalid, startOf } from '../../core/errors.ts';
import { providerNames } from '../../owners/build-source.ts';
import {
  emptyPublisherValues,
  type PublisherValues,
  publisherInputOf,
} from '../../projects/trusted-publishing/publisher-form.ts';
import type { TrustedSystem } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';

export type TrustField = 'organization' | 'workspace' | 'repository' | 'project';
export type TrustValues = Readonly<Record<TrustField, string>>;

/** In the order of the form. */
export const trustFields: Readonly<Record<TrustedSystem, readonly TrustField[]>> = {
  github: ['repository'],
  gitlab: ['repository'],
  buildkite: ['repository'],
  circleci: ['organization', 'project'],
  bitbucket: ['workspace', 'repository'],
};

/** Throws `FormInvalid` with the names of the fields of the form. */
export function trustInput(
  system: TrustedSystem,
  values: TrustValues,
  app: TrustedPublisher['app'],
): TrustedPublisherInput {
  const { name, ...stated } = readTrust(system, values);
  const input = publisherInputOf(system, { ...emptyPublisherValues, ...stated });
  // The name says what distinguishes it from others, which must have other names.
  const full = app ? `${name} · ${app.packageName}` : name;
  return { ...input, app, name: startOf(full, publisherLimits.nameLength) };
}

function readTrust(
  system: TrustedSystem,
  values: TrustValues,
): Partial<PublisherValues> & Pick<PublisherValues, 'name'> {
  const nameOf = (what: string, server = '') =>
    `${what} (${[providerNames[system], ...(server ? [new URL(server).host] : [])].join(', ')})`;
  if (system === 'circleci') {
    const { organization, project } = values;
    return { organization, project, name: nameOf(project) };
  }
  if (system === 'bitbucket') {
    const { workspace, repository } = values;
    return { workspace, repository, name: nameOf(`${workspace} ${repository}`) };
  }
  const { path, server } = readRepository(system, values.repository);
  const name = nameOf(path, server);
  if (system === 'gitlab') return { project: path, server, name };
  // All runners of a GitHub Enterprise Server are self-hosted.
  if (system === 'github') return { repository: path, server, self_hosted: server && 'yes', name };
  const [organization = '', pipeline = ''] = path.split('/');
  return { organization, pipeline, name };
}

const hosts = { github: 'github.com', gitlab: 'gitlab.com', buildkite: 'buildkite.com' } as const;

/**
 * Reads a path such as `acme/tide`, or the address of a repository or one of its pages, which also names a server of one's own.
 * `server`: empty for the usual one. Throws `FormInvalid`.
 */
export function readRepository(system: keyof typeof hosts, text: string): { path: string; server: string } {
  const typed = text.trim().replace(/^git@([\w.-]+):/, 'https://$1/');
  const url = URL.parse(typed);
  const parts = (url?.pathname ?? typed)
    .split('/-/')[0]
    ?.split('/')
    .filter((part) => part !== '');
  const known = system === 'gitlab' ? parts : parts?.slice(0, 2);
  const path = (known ?? []).join('/').replace(/\.git$/, '');
  if (!/^[\w.+-]+(\/[\w.+-]+)+$/.test(path)) throw new FormInvalid({ repository: [ciTexts.wholePath] });
  const isUsual = url === null || url.host === hosts[system] || url.host === `www.${hosts[system]}`;
  return { path, server: isUsual || system === 'buildkite' ? '' : url.origin };
}
