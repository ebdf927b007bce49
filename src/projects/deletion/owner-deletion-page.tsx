/** Deletion pages of Projects, Users and Workspaces: they list what will be deleted, and ask for the name to be typed. */
import { formatBytes } from '../../core/byte-size.ts';
import type { Owner, Workspace } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import {
  ownerDeletionPath,
  ownerSettingsPath,
  teamsPath,
  workspaceDeletionPath,
  workspaceSettingsPath,
} from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { ErrorSummary, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { ConfirmationField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import { renderWorkspaceArea } from '../workspaces/workspace-area.tsx';
import type { OwnerContents } from './owner-contents.ts';
import type { DeletionBlocker } from './owner-deletion.ts';

const t = projectTexts.deletion;

export interface OwnerDeletionProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  contents: OwnerContents;
  deletionBlocker: DeletionBlocker | null;
  submitted: string;
  errors?: readonly string[] | undefined;
}

export function renderOwnerDeletion(props: OwnerDeletionProps): string {
  const { frame, owner, permissions, deletionBlocker } = props;
  const isProject = owner.kind === 'project';
  const deletion = {
    ...props,
    name: owner.name,
    back: ownerSettingsPath(owner),
    address: ownerDeletionPath(owner),
    button: isProject ? t.buttonProject : t.buttonUser,
    deletionBlocker: deletionBlocker ? findDeletionBlocker(deletionBlocker) : null,
    goes: deletedItems(props.contents, isProject),
    stays: [isProject ? t.audit : t.auditUser, t.name],
  };
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: 'settings',
    settings: 'deletion',
    title: t.title({ name: owner.name }),
    children: <DeletionBody {...deletion} />,
  });
}

function findDeletionBlocker({
  lastAdministrator,
  projects,
  workspaces,
}: DeletionBlocker): DeletionBlockerView {
  return {
    sentences: [
      ...(lastAdministrator ? [t.lastAdministrator] : []),
      ...(projects.length + workspaces.length > 0 ? [t.lastOwner] : []),
    ],
    owned: [
      ...projects.map((name) => ({ name, address: teamsPath(name) })),
      ...workspaces.map((name) => ({ name, address: workspaceSettingsPath(name) })),
    ],
  };
}

function deletedItems(contents: OwnerContents, isProject: boolean): string[] {
  const { apps, builds, bytes, pages, devices, keys, memberships } = contents;
  return [
    apps > 0 ? t.apps({ count: apps }) : t.nothing,
    ...(builds > 0 ? [t.builds({ count: builds, size: formatBytes(bytes) })] : []),
    ...(pages > 0 ? [t.pages({ count: pages })] : []),
    ...(devices > 0 ? [t.devices({ count: devices })] : []),
    ...(keys > 0 ? [t.keys({ count: keys })] : []),
    ...(isProject ? [t.people({ count: memberships })] : [t.projects({ count: memberships }), t.account]),
  ];
}

export interface WorkspaceDeletionProps {
  frame: PageFrame;
  workspace: Workspace;
  projects: number;
  submitted: string;
  errors?: readonly string[] | undefined;
}

export function renderWorkspaceDeletion(props: WorkspaceDeletionProps): string {
  const { frame, workspace, projects } = props;
  const title = t.title({ name: workspace.displayName });
  const deletion = {
    ...props,
    name: workspace.name,
    back: workspaceSettingsPath(workspace.name),
    address: workspaceDeletionPath(workspace.name),
    button: t.buttonWorkspace,
    deletionBlocker: projects > 0 ? { sentences: [t.projectsInside({ count: projects })], owned: [] } : null,
    goes: [t.emptyWorkspace],
    stays: [t.audit, t.name],
  };
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'deletion',
    title,
    documentTitle: title,
    children: <DeletionBody {...deletion} />,
  });
}

/** A reason that prevents the deletion, with a link to resolve it. */
interface DeletionBlockerView {
  sentences: readonly string[];
  owned: readonly { name: string; address: string }[];
}

interface Deletion {
  frame: PageFrame;
  /** The name that must be typed. */
  name: string;
  back: string;
  address: string;
  button: string;
  deletionBlocker: DeletionBlockerView | null;
  goes: readonly string[];
  stays: readonly string[];
  submitted: string;
  errors?: readonly string[] | undefined;
}

function DeletionBody(props: Deletion) {
  const { name, deletionBlocker, errors } = props;
  return (
    <>
      <ErrorSummary
        title={t.unconfirmed}
        line=""
        errors={errors ? [{ id: 'confirmation', label: t.confirm({ name }) }] : []}
      />
      <div class="stack">
        {deletionBlocker ? <Blocked {...deletionBlocker} back={props.back} /> : <Confirm {...props} />}
      </div>
    </>
  );
}

function Blocked({ sentences, owned, back }: DeletionBlockerView & { back: string }) {
  return (
    <>
      <div class="callout callout-warning" role="note">
        <p class="callout-title">{t.hindered}</p>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {owned.length > 0 && (
          <ul>
            {owned.map(({ name, address }) => (
              <li key={address}>
                <a href={address}>{name}</a>
              </li>
            ))}
          </ul>
        )}
      </div>
      <p class="actions">
        <a class="button" href={back}>
          {t.back}
        </a>
      </p>
    </>
  );
}

function Points({ id, title, points }: { id: string; title: string; points: readonly string[] }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="points">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </section>
  );
}

function Confirm({ frame, name, address, button, back, goes, stays, submitted, errors }: Deletion) {
  return (
    <>
      <Points id="goes" title={t.lead} points={goes} />
      <Points id="stays" title={t.stays} points={stays} />
      <PostForm frame={frame} class="form confirm" action={address}>
        <ConfirmationField label={t.confirm({ name })} value={submitted} errors={errors} />
        <p class="actions">
          <SubmitButton label={button} tone="danger" />
          <a class="button" href={back}>
            {t.keep}
          </a>
        </p>
      </PostForm>
    </>
  );
}
