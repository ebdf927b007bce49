/** The layout of all settings: navigation next to the content (above it on a phone), and sections in panels. */
import type { ComponentChildren } from 'preact';
import type { Tab } from '../../components/tabs.tsx';
import { settingsTexts } from './settings-texts.ts';

/** Renders the page alone if it belongs to no settings. */
export function SettingsLayout(props: { parts: readonly Tab[] | undefined; children: ComponentChildren }) {
  const { parts, children } = props;
  if (!parts) return <>{children}</>;
  return (
    <div class="settings">
      <nav class="settings-nav" aria-label={settingsTexts.label}>
        <ul>
          {parts.map(({ label, address, isCurrent }) => (
            <li key={address}>
              <a class="settings-link" href={address} aria-current={isCurrent ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="settings-part">{children}</div>
    </div>
  );
}

/** One subject in a panel: its description, and next to it the controls. */
export function SettingsSection(props: {
  id: string;
  title: ComponentChildren;
  line?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { id, title, line, children } = props;
  return (
    <section class="form-section" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {line && <p class="hint">{line}</p>}
      </div>
      <div>{children}</div>
    </section>
  );
}

/** The parts of the settings, with the current one marked. */
export function settingsParts<Name extends string>(
  current: NoInfer<Name>,
  parts: Readonly<Partial<Record<Name, { label: string; address: string }>>>,
): Tab[] {
  const named = Object.entries(parts) as [Name, Omit<Tab, 'isCurrent'> | undefined][];
  return named.flatMap(([name, part]) => (part ? [{ ...part, isCurrent: name === current }] : []));
}
