import { buildCodeResources, resourceRules } from '../test/packages/ipa/build-code-resources.ts';
import { buildIpa, createSigningIdentity, writePropertyList } from '../test/support/build-ipa.ts';
import { mutateContent } from './mutate-content.ts';
import type { RandomSource } from './random.ts';

const names = [
  'a.txt',
  'de.lproj/b.strings',
  'Frameworks/F.framework/F',
  'SC_Info/x.sinf',
  'x/y/z',
  'größe',
  '.DS_Store',
];
const patterns = [...Object.keys(resourceRules), '^', '.*', '^[^/]+$', '^Resources/', '(a+)+$', '(', ''];

/** Validly signed apps whose list of sealed files is wrong or malformed. */
export function createSealedListGrower(): (random: RandomSource) => Buffer {
  const identity = createSigningIdentity({ commonName: 'Fuzz' });
  return (random) => {
    const chosen = () => names.filter(() => random.chance(0.6));
    const files = Object.fromEntries(chosen().map((name) => [name, random.bytes(random.below(40))]));
    const sealed = random.chance(0.5)
      ? files
      : Object.fromEntries(chosen().map((name) => [name, random.bytes(3)]));
    const list = random.chance(0.5) ? buildCodeResources(sealed) : oddList(random, chosen());
    return buildIpa({
      identity,
      files,
      codeResources: random.chance(0.5) ? list : mutateContent(list, random),
    });
  };
}

function oddList(random: RandomSource, sealed: readonly string[]): Buffer {
  const values = [true, 'text', 7, -1.5, [], {}, random.bytes(20), random.bytes(32)];
  const seal = () =>
    random.pick([
      random.pick(values),
      { hash2: random.pick(values), hash: random.pick(values), optional: random.pick(values) },
      { symlink: random.pick(values) },
      { requirement: random.pick(values), cdhash: random.bytes(20) },
    ]);
  const rule = () =>
    random.pick([
      random.pick(values),
      {
        weight: random.pick([...values, 1e300, 20]),
        omit: random.pick(values),
        nested: random.chance(0.5),
      },
    ]);
  const lists = {
    files2: Object.fromEntries(sealed.map((name) => [name, seal()])),
    rules2: Object.fromEntries(patterns.filter(() => random.chance(0.3)).map((pattern) => [pattern, rule()])),
  };
  return writePropertyList(random.chance(0.9) ? lists : { ...lists, rules2: 'none' }, 'xml');
}
