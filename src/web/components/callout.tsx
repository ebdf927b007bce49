import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'good' | 'warning' | 'danger';

/** A word or two about the state of a thing. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** Sentences that a reader must not miss. The title says in words what the colour says. */
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
