/** Invitations to a Project or to the installation, for those who may invite. */

import { type Project, teams } from '../../owners/owner.ts';
import { managerPermissions, renderOwnerArea } from '../../owners/owner-area.tsx';
import { projectInviteLinksPath } from '../../owners/owner-paths.ts';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { isolated, lastDayOf } from '../../web/components/message-tags.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import { siteName } from '../../web/shell/mark.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import { maxEmailLength } from '../passwords/password-fields.tsx';
import type { Invitation } from './invitation.ts';
import { inviteLinkTexts } from './invite-link-texts.ts';

export interface InvitationsPageProps {
  frame: PageFrame;
  /** Null: the installation. */
  project: Project | null;
  /** Base path of the forms. */
  address: string;
  /** Newest first. */
  open: readonly Invitation[];
  canSendMail: boolean;
  submitted: { email: string; team: string };
  errors: { email?: readonly string[]; team?: readonly string[] };
  /** Absolute address of the invitation just created, shown once. */
  link: string | null;
  done: string | null;
}

const t = accountTexts.invitations;

export function renderInvitationsPage(props: InvitationsPageProps): string {
  const { frame, project } = props;
  if (!project) {
    return renderAdministration({
      frame,
      part: 'people',
      list: { label: texts.administration.nav.people, address: sitePaths.people },
      title: t.titleHere,
      line: t.lineHere,
      done: props.done,
      children: (
        <div class="one-column">
          <Invitations {...props} />
        </div>
      ),
    });
  }
  return renderOwnerArea({
    frame,
    owner: project,
    permissions: managerPermissions,
    part: 'invitations',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <div class="one-column">
        <Invitations {...props} />
      </div>
    ),
  });
}

function Invitations(props: InvitationsPageProps) {
  const { frame, open } = props;
  return (
    <>
      {props.link !== null && <NewLink link={props.link} name={props.project?.name ?? siteName(frame)} />}
      <section class="settings-section" aria-labelledby="invite">
        <h2 id="invite">{t.invite}</h2>
        <InviteForm {...props} />
      </section>
      {props.project && (
        <section class="settings-section" aria-labelledby="links">
          <h2 id="links">{inviteLinkTexts.title}</h2>
          <p class="secondary">{inviteLinkTexts.line}</p>
          <p class="actions">
            <a class="button" href={projectInviteLinksPath(props.project.name)}>
              {inviteLinkTexts.manage}
            </a>
          </p>
        </section>
      )}
      <section class="settings-section" aria-labelledby="open">
        <h2 id="open">{t.open}</h2>
        {open.length === 0 ? (
          <p class="secondary">{t.none}</p>
        ) : (
          <ul class="link-list">
            {open.map((invitation) => (
              <Line key={invitation.id} frame={frame} address={props.address} invitation={invitation} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

/** `name`: of what the link leads to. */
function NewLink({ link, name }: { link: string; name: string }) {
  return (
    <section class="made-key" aria-labelledby="link" data-news tabIndex={-1}>
      <h2 id="link">{t.linkTitle}</h2>
      <p role="status">{t.linkLine}</p>
      <CopyLine address={link} name={name} />
    </section>
  );
}

function InviteForm({ frame, project, address, canSendMail, submitted, errors }: InvitationsPageProps) {
  return (
    <PostForm frame={frame} class="form" action={`${address}/create`}>
      {project && (
        <SelectField
          id="team"
          label={t.team}
          errors={errors.team}
          value={submitted.team}
          options={teams.map((team) => [team, t.teams[team]])}
          short
        />
      )}
      {canSendMail ? (
        <TextField
          id="email"
          label={t.email}
          hint={t.emailHint}
          value={submitted.email}
          errors={errors.email}
          type="email"
          autocomplete="off"
          maxLength={maxEmailLength}
        />
      ) : (
        <p class="hint">{t.noMail}</p>
      )}
      <p class="actions">
        <SubmitButton label={t.button} tone="primary" />
      </p>
    </PostForm>
  );
}

function Line(props: { frame: PageFrame; address: string; invitation: Invitation }) {
  const { frame, address, invitation } = props;
  const whom = invitation.email ?? t.byLink;
  const team = invitation.into?.kind === 'project' ? invitation.into.team : null;
  return (
    <li class="person">
      <div>
        <span class="version" dir="auto">
          {whom}
        </span>
        <p class="hint">
          {team && `${t.teams[team]} · `}
          {t.facts({
            inviter: invitation.invitedBy ?? t.someone,
            name: isolated,
            day: lastDayOf(invitation.expiresAt),
          })}
        </p>
      </div>
      <Confirm
        frame={frame}
        action={`${address}/${encodeURIComponent(invitation.id)}/revoke`}
        ask={t.revoke}
        label={t.revokeOf({ whom })}
        line={t.revokeLine}
        tone="quiet"
      />
    </li>
  );
}
