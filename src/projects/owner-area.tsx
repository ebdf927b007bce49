/** The pages of a Project or a person: one head and one navigation for all of them. */
import type { ComponentChildren } from 'preact';
import { projectInvitationsPath, projectKeysPath } from '../access/account-addresses.ts';
import type { Owner } from '../owners/owner.ts';
import {
  auditPath,
  ownerHooksPath,
  ownerSettingsPath,
  pathOf,
  teamsPath,
} from '../owners/owner-addresses.ts';
import { Done } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { projectTexts } from '../web/project-texts.ts';
import { texts } from '../web/texts.ts';
import type { Standing } from './owner-standing.ts';

export type OwnerPart = keyof Omit<typeof projectTexts.nav, 'label' | 'storage'>;

const words = projectTexts.nav;

function addressesOf(owner: Owner, standing: Standing): Partial<Record<OwnerPart, string>> {
  const isProject = owner.kind === 'project';
  return {
    ...(standing.views ? { apps: pathOf(owner) } : {}),
    ...(isProject ? { people: teamsPath(owner.name) } : {}),
    ...(isProject && standing.manages
      ? { invitations: projectInvitationsPath(owner.name), keys: projectKeysPath(owner.name) }
      : {}),
    ...(standing.uploads ? { devices: `${pathOf(owner)}/devices` } : {}),
    ...(standing.views && standing.oversees ? { hooks: ownerHooksPath(owner) } : {}),
    ...(standing.oversees ? { audit: auditPath(owner), settings: ownerSettingsPath(owner) } : {}),
  };
}

/** Leads to the pages that the viewer may see; nothing when there is but one. */
export function OwnerNav(props: { owner: Owner; standing: Standing; part: OwnerPart }) {
  const addresses = Object.entries(addressesOf(props.owner, props.standing)) as [OwnerPart, string][];
  if (addresses.length < 2) return null;
  return (
    <nav class="tabs" aria-label={words.label(props.owner.name)}>
      <ul>
        {addresses.map(([part, address]) => (
          <li key={part}>
            <a class="tab" href={address} aria-current={part === props.part ? 'page' : undefined}>
              {part === 'settings' && props.owner.kind === 'user' ? words.storage : words[part]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export interface OwnerArea {
  frame: PageFrame;
  owner: Owner;
  standing: Standing;
  part: OwnerPart;
  title: string;
  /** Stands under the title. */
  line?: string;
  done?: string | null;
  children: ComponentChildren;
}

export function renderOwnerArea(area: OwnerArea): string {
  const { frame, owner, standing, title } = area;
  return renderPage({
    frame,
    title: `${title} · ${owner.name}`,
    forms: true,
    children: (
      <>
        <div class="page-head tabbed-head">
          <p class="kind">
            {texts.owner[owner.kind]}{' '}
            {standing.views ? <a href={pathOf(owner)}>{owner.name}</a> : <strong>{owner.name}</strong>}
          </p>
          <h1>{title}</h1>
          {area.line && <p class="secondary lead-line">{area.line}</p>}
        </div>
        <OwnerNav owner={owner} standing={standing} part={area.part} />
        <Done sentence={area.done ?? null} />
        {area.children}
      </>
    ),
  });
}
