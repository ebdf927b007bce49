import { texts } from '../shell/texts.ts';

/**
 * Text to copy. It can be selected manually; `slipway.js` adds a copy button. The label is the name of the block for screen
 * readers, and makes its scroll area focusable.
 */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block" data-copy={texts.copy} data-copied={texts.copied}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields; a section would be one more landmark of the page */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area that only a mouse can move fails WCAG 2.1.1 */}
      <div class="scroll" role="group" tabIndex={0} aria-label={label}>
        <pre>
          <code>{text}</code>
        </pre>
      </div>
    </div>
  );
}

/** An identifier, a digest or a commit, in monospace. */
export function InlineCode({ text }: { text: string }) {
  return (
    <code class="machine" dir="auto">
      {text}
    </code>
  );
}
