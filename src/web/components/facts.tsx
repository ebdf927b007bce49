import type { ComponentChildren } from 'preact';

export interface Fact {
  label: string;
  /** A fact without a value is left out. */
  value: ComponentChildren | null | undefined;
}

/** Pairs of label and value; two columns where there is room for them. */
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
