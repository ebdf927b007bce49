import { formatCount } from '../../web/components/formats.ts';

/** A collapsible list of identifiers, such as permissions or features. */
export function NameList({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <details class="names-fold">
      <summary>
        {title} <span class="count">{formatCount(names.length)}</span>
      </summary>
      <ul class="machine-list">
        {names.map((name) => (
          <li key={name}>
            <code class="machine" dir="auto">
              {name}
            </code>
          </li>
        ))}
      </ul>
    </details>
  );
}
