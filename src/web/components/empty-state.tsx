import type { ComponentChildren } from 'preact';

/** Replaces an empty list: states what will appear, and how to add it. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
