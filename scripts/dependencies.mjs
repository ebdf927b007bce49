// npm run check: checks licenses, sources, hashes and install scripts of every package in the lock file.

/** Licenses that may be distributed with a product under the MIT license. */
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
/** libvips is a separate shared library that users can replace, as the LGPL requires. */
const lgplAllowed = /^@img\/sharp-/;
/** Licenses allowed only for tools whose code is not part of the product. */
const toolsOnly = new Set(['MPL-2.0', 'CC-BY-4.0', 'CC0-1.0']);
/** Tools whose manifests state the license in a nonstandard field; all are under the MIT or BSD license. */
const statedInTheirFiles = new Set(['bufferpack', 'busboy', 'cgbi-to-png', 'combine-errors', 'streamsearch']);

/**
 * Returns every problem of a package-lock.json (version 3) as a sentence. `allowScripts` lists packages with
 * reviewed install scripts; install scripts of tools are ignored.
 */
export function errorsOf(lock, allowScripts = {}) {
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, entry]) => {
      const name = path.replace(/^.*node_modules\//, '');
      const say = (text) => `${name} ${entry.version}: ${text}`;
      const problems = [];
      if (!isLicenseAllowed(name, entry))
        problems.push(say(`the license ${entry.license ?? 'is not stated'} is not one we ship`));
      // Without an address npm uses the configured registry, and verifies the hash.
      if (!/^(https:\/\/registry\.npmjs\.org\/|$)/.test(entry.resolved ?? '')) {
        problems.push(say('does not come from the npm registry'));
      }
      if (!/^sha512-/.test(entry.integrity ?? '')) problems.push(say('has no SHA-512 in the lock file'));
      if (entry.hasInstallScript && !entry.dev && !(name in allowScripts))
        problems.push(say('runs a script when it is installed'));
      return problems;
    });
}

function isLicenseAllowed(name, { license, dev }) {
  const parts = (license ?? '').replace(/[()]/g, '').split(/ (?:OR|AND) /);
  if (dev === true && statedInTheirFiles.has(name)) return true;
  const any = !/ AND /.test(license ?? '');
  const fits = (one) =>
    shippable.has(one) ||
    (dev === true && toolsOnly.has(one)) ||
    (one === 'LGPL-3.0-or-later' && lgplAllowed.test(name));
  return any ? parts.some(fits) : parts.every(fits);
}

/** Returns every dependency in package.json with a range instead of an exact version. */
export function rangesOf(manifest) {
  return ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {})
      .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name}: ${version} is no exact version`),
  );
}
