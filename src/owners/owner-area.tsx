/** The pages of a Project or User, with a shared header and navigation. */
import type { ComponentChildren } from 'preact';
import { SuccessMessage } from '../web/components/form-field.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import type { Owner } from './owner.ts';
import {
  auditPath,
  ownerPath,
  ownerSettingsPath,
  ownerWebhooksPath,
  projectInvitationsPath,
  projectKeysPath,
  teamsPath,
  workspacePath,
} from './owner-paths.ts';
import type { OwnerPermissions } from './owner-permissions.ts';

type OwnerPart = keyof Omit<typeof texts.ownerNav, 'label' | 'storage'>;

const t = texts.ownerNav;

/** The permissions of a viewer of pages that only Project managers see. */
export const managerPermissions: OwnerPermissions = {
  views: true,
  uploads: true,
  manages: true,
  administers: true,
  administrator: false,
};

function addressesOf(owner: Owner, permissions: OwnerPermissions): Partial<Record<OwnerPart, string>> {
  const isProject = owner.kind === 'project';
  return {
    ...(permissions.views ? { apps: ownerPath(owner) } : {}),
    ...(isProject ? { people: teamsPath(owner.name) } : {}),
    ...(isProject && permissions.manages
      ? { invitations: projectInvitationsPath(owner.name), keys: projectKeysPath(owner.name) }
      : {}),
    ...(permissions.uploads ? { devices: `${ownerPath(owner)}/devices` } : {}),
    ...(permissions.views && permissions.administers ? { webhooks: ownerWebhooksPath(owner) } : {}),
    ...(permissions.administers ? { audit: auditPath(owner), settings: ownerSettingsPath(owner) } : {}),
  };
}

interface OwnerPlace {
  owner: Owner;
  permissions: OwnerPermissions;
  part: OwnerPart;
}

/** Shows the Owner and the tabs of its pages. On the Owner's own page, its name is the title. */
export function OwnerHead(props: OwnerPlace & { isTitle?: boolean }) {
  const { owner, permissions, isTitle = false } = props;
  return (
    <>
      <div class="page-head tabbed-head">
        <p class="kind">
          {texts.owner[owner.kind]}
          {owner.kind === 'project' && owner.workspace && (
            <>
              {' '}
              {texts.owner.inWorkspace}{' '}
              <a href={workspacePath(owner.workspace.name)}>
                <bdi>{owner.workspace.displayName}</bdi>
              </a>
            </>
          )}
        </p>
        {isTitle ? (
          <h1>{owner.name}</h1>
        ) : (
          <p class="title">{permissions.views ? <a href={ownerPath(owner)}>{owner.name}</a> : owner.name}</p>
        )}
      </div>
      <OwnerNav {...props} />
    </>
  );
}

/** Links to the pages that the viewer may see; renders nothing for a single page. */
function OwnerNav(props: OwnerPlace) {
  const addresses = Object.entries(addressesOf(props.owner, props.permissions)) as [OwnerPart, string][];
  if (addresses.length < 2) return null;
  return (
    <nav class="tabs" aria-label={t.label(props.owner.name)}>
      <ul>
        {addresses.map(([part, address]) => (
          <li key={part}>
            <a class="tab" href={address} aria-current={part === props.part ? 'page' : undefined}>
              {part === 'settings' && props.owner.kind === 'user' ? t.storage : t[part]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export interface OwnerArea extends OwnerPlace {
  frame: PageFrame;
  title: string;
  /** Content next to the title, for example a count. */
  beside?: ComponentChildren;
  /** Line below the title. */
  line?: string;
  done?: string | null;
  children: ComponentChildren;
}

export function renderOwnerArea(area: OwnerArea): string {
  const { frame, owner, permissions, part, title } = area;
  return renderPage({
    frame,
    title: `${title} · ${owner.name}`,
    forms: true,
    children: (
      <>
        <OwnerHead owner={owner} permissions={permissions} part={part} />
        <div class="part-head">
          <h1>
            {title} {area.beside}
          </h1>
          {area.line && <p class="secondary lead-line">{area.line}</p>}
        </div>
        <SuccessMessage sentence={area.done ?? null} />
        {area.children}
      </>
    ),
  });
}
