import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import { brandingTexts } from '../../branding/branding-texts.ts';
import { maxLoginLength, type Workspace } from '../../owners/owner.ts';
import {
  workspaceBrandingPath,
  workspaceDeletionPath,
  workspaceOwnerPath,
  workspaceOwnersPath,
  workspaceRetentionPath,
  workspaceSettingsPath,
} from '../../owners/owner-paths.ts';
import type { RetentionRule } from '../../owners/retention/retention.ts';
import { Confirm, FormHead, SuccessMessage } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import {
  AppearanceFields,
  type AppearanceValues,
  type OwnerFormErrors,
} from '../settings/new-owner-page.tsx';
import { RetentionSection } from '../settings/retention-section.tsx';
import { WorkspaceHead } from './workspace-head.tsx';

/** The refused input with its errors. */
export interface WorkspaceRefusal {
  look?: AppearanceValues;
  errors?: OwnerFormErrors;
  login?: string;
  loginErrors?: readonly string[] | undefined;
  /** Why a change in the list of owners was refused. */
  sentence?: string;
}

export interface WorkspaceSettingsProps {
  frame: PageFrame;
  workspace: Workspace;
  owners: readonly { id: string; name: string }[];
  /** People who were invited to own the Workspace and have not responded. */
  pending: readonly NamedInvitation[];
  projects: number;
  /** The rule for Projects that have none of their own. */
  retention: RetentionRule;
  done: string | null;
  refused: WorkspaceRefusal | null;
}

const t = projectTexts.workspace;

export function renderWorkspaceSettings(props: WorkspaceSettingsProps): string {
  const { frame, workspace, refused } = props;
  const title = t.settingsTitle({ name: workspace.displayName });
  return renderPage({
    frame,
    workspace,
    title,
    forms: true,
    width: 'narrow',
    head: (
      <WorkspaceHead
        workspace={workspace}
        origin={frame.origin}
        crumbs={[{ label: projectTexts.workspace.settings, address: workspaceSettingsPath(workspace.name) }]}
      />
    ),
    children: (
      <>
        <TitleBlock title={<bdi>{title}</bdi>} />
        <SuccessMessage sentence={props.done} />
        {refused?.sentence && (
          <p class="callout callout-danger" role="alert">
            {refused.sentence}
          </p>
        )}
        <AppearanceForm {...props} />
        <section aria-labelledby="branding">
          <h2 id="branding">{brandingTexts.title}</h2>
          <p class="hint lead-hint">{brandingTexts.workspaceLine}</p>
          <p class="actions">
            <a class="button" href={workspaceBrandingPath(workspace.name)}>
              {brandingTexts.change}
            </a>
          </p>
        </section>
        <Owners {...props} />
        <PendingInvitations
          frame={frame}
          invitations={props.pending}
          address={`${workspaceOwnersPath(workspace.name)}/invitations`}
        />
        <RetentionSection rule={props.retention} address={workspaceRetentionPath(workspace.name)} />
        <Deletion {...props} />
      </>
    ),
  });
}

function AppearanceForm({ frame, workspace, refused }: WorkspaceSettingsProps) {
  const known = { display_name: workspace.displayName, icon_url: workspace.iconUrl };
  return (
    <section aria-labelledby="look">
      <h2 id="look">{t.look}</h2>
      <form class="form" method="post" action={`${workspaceSettingsPath(workspace.name)}/save`} data-guard="">
        <FormHead frame={frame} />
        <AppearanceFields submitted={refused?.look ?? known} errors={refused?.errors ?? {}} />
        <p class="actions">
          <button class="button" type="submit">
            {projectTexts.save}
          </button>
        </p>
      </form>
    </section>
  );
}

function Owners({ frame, workspace, owners, refused }: WorkspaceSettingsProps) {
  return (
    <section aria-labelledby="owners">
      <h2 id="owners">{t.owners}</h2>
      <p class="hint lead-hint">{t.ownersLine}</p>
      {owners.length === 0 && <p class="secondary">{t.nobody}</p>}
      <ul class="link-list">
        {owners.map(({ id, name }) => (
          <li class="person" key={id}>
            <bdi>{name}</bdi>
            {owners.length === 1 ? (
              <span class="hint">{t.lastOwner}</span>
            ) : (
              <Confirm
                frame={frame}
                action={`${workspaceOwnerPath(workspace.name, id)}/remove`}
                ask={t.remove}
                label={t.removeOf({ name })}
                line={t.removeLine}
                button={t.remove}
                tone="quiet"
                from="end"
              />
            )}
          </li>
        ))}
      </ul>
      <form class="add-person" method="post" action={`${workspaceOwnersPath(workspace.name)}/add`}>
        <FormHead frame={frame} />
        <TextField
          id="login"
          label={t.add}
          hint={projectTexts.people.anybody}
          value={refused?.login ?? ''}
          errors={refused?.loginErrors}
          maxLength={maxLoginLength}
          required
        />
        <button class="button" type="submit">
          {t.addButton}
        </button>
      </form>
    </section>
  );
}

function Deletion({ workspace, projects }: WorkspaceSettingsProps) {
  return (
    <section aria-labelledby="danger">
      <h2 id="danger">{projectTexts.settings.danger}</h2>
      {projects > 0 ? (
        <p class="hint">{t.mustBeEmpty}</p>
      ) : (
        <>
          <p class="hint lead-hint">{projectTexts.settings.dangerLine}</p>
          <a class="button button-danger" href={workspaceDeletionPath(workspace.name)}>
            {projectTexts.settings.deleteWorkspace}
          </a>
        </>
      )}
    </section>
  );
}
