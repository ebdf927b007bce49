import { formatCount } from './formats.ts';

export interface Tab {
  label: string;
  address: string;
  isCurrent: boolean;
  /** Shown in a pill next to the label. */
  count?: number | undefined;
}

/** Links to the pages of one subject. They scroll sideways if they do not fit. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.address} href={tab.address} aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
          {tab.count !== undefined && (
            <>
              {' '}
              <span class="pill">{formatCount(tab.count)}</span>
            </>
          )}
        </a>
      ))}
    </nav>
  );
}
