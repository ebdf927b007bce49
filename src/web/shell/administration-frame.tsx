/** The frame of the pages for administrators, with one header and navigation. */

import type { ComponentChildren } from 'preact';
import { SuccessMessage } from '../components/form-field.tsx';
import { ConsoleHead, TitleBlock } from './console-head.tsx';
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
  branding: sitePaths.branding,
  doctor: sitePaths.doctor,
  audit: sitePaths.audit,
} as const;

export type AdministrationPart = keyof typeof parts;

export interface AdministrationPage {
  frame: PageFrame;
  part: AdministrationPart;
  /** Defaults to the label in the navigation. */
  title?: string;
  /** The list that the page belongs to, shown above the title. */
  list?: { label: string; address: string };
  /** Content next to the title, for example a state. */
  state?: ComponentChildren;
  /** A line below the title. */
  line?: ComponentChildren;
  /** Confirmation of the last action, as a full sentence. */
  done?: string | null;
  children: ComponentChildren;
}

export function renderAdministration(page: AdministrationPage): string {
  const { frame, part, title = t[part] } = page;
  return renderPage({
    frame,
    title: `${title} · ${texts.administration.title}`,
    section: 'administration',
    forms: true,
    head: (
      <ConsoleHead
        title={texts.administration.title}
        titleAddress={sitePaths.administration}
        tabs={(Object.keys(parts) as AdministrationPart[]).map((name) => ({
          label: t[name],
          address: parts[name],
          isCurrent: name === part,
        }))}
      />
    ),
    children: (
      <>
        {page.list && (
          <p class="kind">
            <a href={page.list.address}>{page.list.label}</a>
          </p>
        )}
        <TitleBlock title={<bdi>{title}</bdi>} state={page.state} line={page.line} />
        <SuccessMessage sentence={page.done ?? null} />
        {page.children}
      </>
    ),
  });
}

/** Views of a list, as links with the current one marked. */
export function Choices(props: {
  label: string;
  choices: readonly { label: string; address: string; chosen: boolean; count?: string }[];
}) {
  return (
    <nav class="actions mail-states" aria-label={props.label}>
      {props.choices.map(({ label, address, chosen, count }) => (
        <a key={address} class="button" href={address} aria-current={chosen ? 'page' : undefined}>
          {label}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
