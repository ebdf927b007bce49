import type { ComponentChildren } from 'preact';

export interface Fact {
  label: string;
  /** Left out if there is no value. */
  value: ComponentChildren | null | undefined;
}

/** Labels with values, in two columns if there is enough space. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter((fact) => fact.value !== null && fact.value !== undefined && fact.value !== '');
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map((fact) => (
        <div key={fact.label}>
          <dt>{fact.label}</dt>
          <dd>{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
