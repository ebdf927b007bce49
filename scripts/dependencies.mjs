// What `npm run check` asks of the lock file: licences, sources, hashes and install scripts of every package in it.

/** May be shipped with a product under the MIT licence, on the terms that each of them states. */
const shippable = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** libvips comes as a shared library of its own, which everybody may replace: what the LGPL asks for. */
const lgplAllowed = /^@img\/sharp-/;
/** Tools that nothing of ours is made from. */
const toolsOnly = new Set(['MPL-2.0', 'CC-BY-4.0', 'CC0-1.0']);
/** Tools whose manifests do not say it as the registry wants it; their own files do. All under the MIT or BSD licence. */
const statedInTheirFiles = new Set(['bufferpack', 'busboy', 'cgbi-to-png', 'streamsearch']);

/**
 * Every fault of a package-lock.json (version 3), as one sentence each. `allowScripts` names the packages whose install
 * scripts have been looked at; tools are built by nothing of ours.
 */
export function faultsOf(lock, allowScripts = {}) {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, entry]) => {
      const name = path.replace(/^.*node_modules\//, '');
      const say = (text) => `${name} ${entry.version}: ${text}`;
      const faults = [];
      if (!licenceFits(name, entry))
        faults.push(say(`the licence ${entry.license ?? 'is not stated'} is not one we ship`));
      // Without an address npm asks the registry that it is set to, and holds the answer to the hash.
      if (!/^(https:\/\/registry\.npmjs\.org\/|$)/.test(entry.resolved ?? '')) {
        faults.push(say('does not come from the npm registry'));
      }
      if (!/^sha512-/.test(entry.integrity ?? '')) faults.push(say('has no SHA-512 in the lock file'));
      if (entry.hasInstallScript && !entry.dev && !(name in allowScripts))
        faults.push(say('runs a script when it is installed'));
      return faults;
    });
}

function licenceFits(name, { license, dev }) {
  const parts = (license ?? '').replace(/[()]/g, '').split(/ (?:OR|AND) /);
  if (dev === true && statedInTheirFiles.has(name)) return true;
  const any = !/ AND /.test(license ?? '');
  const fits = (one) =>
    shippable.has(one) ||
    (dev === true && toolsOnly.has(one)) ||
    (one === 'LGPL-3.0-or-later' && lgplAllowed.test(name));
  return any ? parts.some(fits) : parts.every(fits);
}

/** Every dependency that package.json names with a range in place of one version. */
export function rangesOf(manifest) {
  return ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name}: ${version} is no exact version`),
  );
}
