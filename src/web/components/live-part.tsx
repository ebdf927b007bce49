import type { ComponentChildren } from 'preact';

/** A part of the page that the browser replaces when it changes on the server (`web/browser/console/live-parts.ts`). */
export function LivePart(props: {
  id: string;
  /** Whether it will soon change without user action, so that pages without an event stream poll it. */
  pending: boolean;
  children: ComponentChildren;
}) {
  return (
    <div id={props.id} data-live-part="" data-live-pending={props.pending ? '' : undefined}>
      {props.children}
    </div>
  );
}
