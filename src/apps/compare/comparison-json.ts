/** The comparison of two builds, as the API shows it. */
import * as v from 'valibot';
import type { Build } from '../app.ts';
import { type ComparedSet, compareBuilds } from './compare-builds.ts';

const names = v.object({
  names: v.array(v.string()),
  more: v.pipe(v.number(), v.description('How many further names there are.')),
});

export const comparisonShape = v.pipe(
  v.object({
    from: v.number(),
    to: v.number(),
    identical: v.pipe(v.boolean(), v.description('Whether the files are identical.')),
    size: v.object({ from: v.number(), to: v.number() }),
    update: v.pipe(v.array(v.string()), v.description('What to know before installing `to` over `from`.')),
    changed: v.array(
      v.object({ fact: v.string(), from: v.nullable(v.string()), to: v.nullable(v.string()) }),
    ),
    sets: v.array(v.object({ fact: v.string(), added: names, removed: names })),
  }),
  v.title('Comparison'),
);

export function comparisonJson(from: Build, to: Build): v.InferOutput<typeof comparisonShape> {
  const comparison = compareBuilds(from, to);
  return {
    from: from.revision,
    to: to.revision,
    identical: comparison.identical,
    size: comparison.size,
    update: [...comparison.notes.signer, ...comparison.notes.worth],
    changed: comparison.changed.map(({ label, ...values }) => ({
      fact: label,
      from: values.from,
      to: values.to,
    })),
    sets: comparison.sets.map(({ label, added, removed }: ComparedSet) => ({ fact: label, added, removed })),
  };
}
