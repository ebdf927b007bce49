import { texts } from '../shell/texts.ts';

/**
 * Text to take away. It can be selected by hand; `slipway.js` adds a button that copies it. The label names the block
 * for those who do not see it and makes its scroll area reachable by keyboard.
 */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block" data-copy={texts.copy} data-copied={texts.copied}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area that only a mouse can move fails WCAG 2.1.1 */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
    </div>
  );
}

/** A word out of a machine: an identifier, a digest, a commit. */
export function Machine({ text }: { text: string }) {
  return (
    <code class="machine" dir="auto">
      {text}
    </code>
  );
}
