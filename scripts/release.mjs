/**
 * npm run release: writes the files of a release to `release/`. The same sources give the same bytes, except for
 * image digests, which are current. `--offline` keeps the image tags; `--registry URL` uses a different registry.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, root, runNpm } from './workshop.mjs';

const dockerHub = 'https://registry-1.docker.io';
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const timeoutMs = 30_000;
/** Files that reference images, and the keyword before each image name. */
const imageFiles = [
  ['Dockerfile', /^(FROM )(\S+)/gm],
  ['compose.yaml', /^( +image: )(\S+)$/gm],
];

if (process.argv[1] === fileURLToPath(import.meta.url)) await release();

async function release() {
  const { values } = parseArgs({
    options: {
      offline: { type: 'boolean' },
      registry: { type: 'string', default: dockerHub },
      out: { type: 'string', default: join(root, 'release') },
    },
  });
  // Runs first: a registry failure must not leave half a release.
  const pinned = await pinImages(values.offline ? null : values.registry).catch((error) => {
    console.error(`release: ${error.message}`);
    console.error('release: nothing was written. --offline keeps the tags of images instead of digests.');
    process.exit(1);
  });
  if (values.offline) console.error('release: --offline: images keep their tags; no digest was resolved');
  ensureInstalled();
  ensureBuilt();
  rmSync(values.out, { recursive: true, force: true });
  mkdirSync(values.out, { recursive: true });
  for (const [name, text] of pinned) writeFileSync(join(values.out, name), text);
  writeFileSync(join(values.out, 'sbom.cdx.json'), createSbom());
  runNpm(['pack', '--ignore-scripts', '--pack-destination', values.out]);
  const sums = readdirSync(values.out)
    .sort()
    .map((name) => `${sha256(readFileSync(join(values.out, name)))}  ${name}\n`);
  writeFileSync(join(values.out, 'SHA256SUMS'), sums.join(''));
  console.error(`release: ${values.out}`);
}

/**
 * CycloneDX SBOM of the packages that are installed with Slipway. npm’s own has a random serial number and a
 * timestamp, and `--omit dev` drops dependencies that tools share.
 */
export function createSbom() {
  const { stdout } = runNpm(
    ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'],
    { stdio: ['ignore', 'pipe', 2], encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const [manifest, { packages }] = ['package.json', 'package-lock.json'].map((name) =>
    JSON.parse(readFileSync(join(root, name), 'utf8')),
  );
  const shipped = new Set([`${manifest.name}@${manifest.version}`]);
  for (const [path, entry] of Object.entries(packages)) {
    if (path !== '' && !entry.dev && !entry.devOptional)
      shipped.add(`${path.split('node_modules/').at(-1)}@${entry.version}`);
  }
  const { serialNumber: _, ...bom } = JSON.parse(stdout);
  delete bom.metadata.timestamp;
  // npm would use the folder name.
  bom.metadata.component.name = manifest.name;
  bom.components = bom.components.filter((component) => shipped.has(component['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => shipped.has(ref))
    .map((entry) => ({ ...entry, dependsOn: entry.dependsOn?.filter((ref) => shipped.has(ref)) }));
  const hex = sha256(JSON.stringify(bom));
  const uuid = [
    ...[hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`],
    ...[`8${hex.slice(17, 20)}`, hex.slice(20, 32)],
  ];
  return `${JSON.stringify({ ...bom, serialNumber: `urn:uuid:${uuid.join('-')}` }, null, 2)}\n`;
}

/**
 * Returns the contents by file name, with `@sha256:…` after each image. `registry` null: unchanged. Rejects unless
 * every image is resolved.
 */
export async function pinImages(registry) {
  const texts = new Map();
  for (const [name, pattern] of imageFiles) {
    const text = readFileSync(join(root, name), 'utf8');
    const images = new Set([...text.matchAll(pattern)].map(([, , image]) => image));
    const digests = new Map();
    if (registry !== null)
      for (const image of images) digests.set(image, await resolveDigest(image, registry));
    texts.set(
      name,
      text.replace(pattern, (_, before, image) =>
        registry === null ? `${before}${image}` : `${before}${image}@${digests.get(image)}`,
      ),
    );
  }
  return texts;
}

/** The digest of the tag’s current manifest, computed from its bytes. */
export async function resolveDigest(image, registry) {
  const [name, tag, ...more] = image.split(':');
  if (!tag || more.length > 0 || image.includes('@'))
    throw new Error(`${image}: an image is a name and a tag`);
  const path = name.includes('/') ? name : `library/${name}`;
  const address = `${registry.replace(/\/$/, '')}/v2/${path}/manifests/${tag}`;
  const failed = (why) => new Error(`the digest of ${image} could not be resolved at ${registry}: ${why}`);
  try {
    let answer = await ask(address, { Accept: manifestTypes });
    if (answer.status === 401) {
      const token = await tokenFor(answer.headers.get('www-authenticate') ?? '');
      answer = await ask(address, { Accept: manifestTypes, Authorization: `Bearer ${token}` });
    }
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    const digest = `sha256:${sha256(Buffer.from(await answer.arrayBuffer()))}`;
    const stated = answer.headers.get('docker-content-digest');
    if (stated !== null && stated !== digest)
      throw new Error(`it says ${stated}, and the manifest is ${digest}`);
    return digest;
  } catch (error) {
    throw failed(error.cause?.message ?? error.message);
  }
}

/** The token flow of the distribution specification. */
async function tokenFor(challenge) {
  const fields = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
  if (!/^Bearer /i.test(challenge) || !URL.canParse(fields.get('realm') ?? ''))
    throw new Error('it asks for a login that is not known');
  const realm = new URL(fields.get('realm'));
  for (const key of ['service', 'scope']) if (fields.has(key)) realm.searchParams.set(key, fields.get(key));
  const answer = await ask(realm, {});
  const body = answer.status === 200 ? await answer.json() : {};
  const token = body.token ?? body.access_token;
  if (typeof token !== 'string') throw new Error(`no token from ${realm.host}, status ${answer.status}`);
  return token;
}

function ask(address, headers) {
  return fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) });
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
