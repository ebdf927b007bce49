import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'good' | 'warning' | 'danger';

/** A short status label. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** Important text. The title states in words what the color means. */
export function Callout(props: {
  tone: 'good' | 'warning' | 'danger';
  title: string;
  sentences: readonly string[];
}) {
  if (props.sentences.length === 0) return null;
  const [only] = props.sentences;
  return (
    <div class={`callout callout-${props.tone}`} role="note">
      <p class="callout-title">{props.title}</p>
      {props.sentences.length === 1 ? (
        <p dir="auto">{only}</p>
      ) : (
        <ul>
          {props.sentences.map((sentence) => (
            <li key={sentence} dir="auto">
              {sentence}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Why a change was refused. */
export function Refusal({ sentence }: { sentence: string | null }) {
  if (sentence === null) return null;
  return (
    <p class="callout callout-danger" role="alert">
      {sentence}
    </p>
  );
}
