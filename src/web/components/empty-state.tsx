import type { ComponentChildren } from 'preact';

/** Stands where a list would be: says what will be here and how to get it there. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
