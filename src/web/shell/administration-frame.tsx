/** The pages for administrators: one head and one navigation for all of them. */

import type { ComponentChildren } from 'preact';
import { SuccessMessage } from '../components/form-field.tsx';
import { renderPage } from './layout.tsx';
import type { PageFrame } from './page-frame.ts';
import { sitePaths } from './site-paths.ts';
import { texts } from './texts.ts';

const t = texts.administration.nav;

const parts = {
  overview: sitePaths.administration,
  people: sitePaths.people,
  owners: sitePaths.owners,
  work: sitePaths.work,
  mail: sitePaths.mailAdministration,
  doctor: sitePaths.doctor,
  audit: sitePaths.audit,
} as const;

export type AdministrationPart = keyof typeof parts;

export interface AdministrationPage {
  frame: PageFrame;
  part: AdministrationPart;
  /** The word of the navigation when absent. */
  title?: string;
  /** The list that the page belongs to, above the title. */
  list?: { label: string; address: string };
  /** Beside the title, for example what state the thing is in. */
  beside?: ComponentChildren;
  /** Shown below the title. */
  line?: ComponentChildren;
  /** What was just done; a full sentence. */
  done?: string | null;
  children: ComponentChildren;
}

export function renderAdministration(page: AdministrationPage): string {
  const { frame, part, title = t[part] } = page;
  return renderPage({
    frame,
    title: `${title} · ${texts.administration.title}`,
    forms: true,
    children: (
      <>
        <nav class="tabs" aria-label={texts.administration.title}>
          <ul>
            {(Object.keys(parts) as AdministrationPart[]).map((name) => (
              <li key={name}>
                <a class="tab" href={parts[name]} aria-current={name === part ? 'page' : undefined}>
                  {t[name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="page-head">
          {page.list && (
            <p class="kind">
              <a href={page.list.address}>{page.list.label}</a>
            </p>
          )}
          <div class="with-badge">
            <h1>
              <bdi>{title}</bdi>
            </h1>
            {page.beside}
          </div>
          {page.line !== undefined && <p class="secondary lead-line">{page.line}</p>}
        </div>
        <SuccessMessage sentence={page.done ?? null} />
        {page.children}
      </>
    ),
  });
}

/** Ways to see a list, as links of which one is chosen. */
export function Choices(props: {
  label: string;
  choices: readonly { label: string; address: string; chosen: boolean; count?: string }[];
}) {
  return (
    <nav class="actions mail-states" aria-label={props.label}>
      {props.choices.map(({ label, address, chosen, count }) => (
        <a
          key={address}
          class="button button-small"
          href={address}
          aria-current={chosen ? 'page' : undefined}
        >
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
