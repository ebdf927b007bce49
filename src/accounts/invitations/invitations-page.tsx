/** Invitations to a Project or to the installation, for those who may invite. */

import { type Project, type Team, teams } from '../../owners/owner.ts';
import { managerPermissions, renderOwnerArea } from '../../owners/owner-area.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { Field, FormHead } from '../../web/components/form-field.tsx';
import { LastDay } from '../../web/components/moment.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { siteAddresses } from '../../web/shell/site-addresses.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import { maxEmailLength } from '../passwords/password-fields.tsx';
import type { Invitation } from './invitation.ts';

export interface InvitationsPageProps {
  frame: PageFrame;
  /** Null: the installation. */
  project: Project | null;
  /** Base path of the forms. */
  address: string;
  /** Newest first. */
  open: readonly Invitation[];
  canSendMail: boolean;
  typed: { email: string; team: string };
  faults: { email?: readonly string[]; team?: readonly string[] };
  /** Absolute address of the invitation just created, shown once. */
  link: string | null;
  done: string | null;
}

const words = accountTexts.invitations;

export function renderInvitationsPage(props: InvitationsPageProps): string {
  const { frame, project } = props;
  if (!project) {
    return renderAdministration({
      frame,
      part: 'people',
      list: { label: texts.administration.nav.people, address: siteAddresses.people },
      title: words.titleHere,
      line: words.lineHere,
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
    title: words.title,
    line: words.line,
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
      {props.link !== null && <NewLink link={props.link} />}
      <section class="settings-section" aria-labelledby="invite">
        <h2 id="invite">{words.invite}</h2>
        <InviteForm {...props} />
      </section>
      <section class="settings-section" aria-labelledby="open">
        <h2 id="open">{words.open}</h2>
        {open.length === 0 ? (
          <p class="secondary">{words.none}</p>
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

function NewLink({ link }: { link: string }) {
  return (
    <section class="made-key" aria-labelledby="link" data-news tabIndex={-1}>
      <h2 id="link">{words.linkTitle}</h2>
      <p role="status">{words.linkLine}</p>
      <CodeBlock text={link} label={words.linkLabel} />
    </section>
  );
}

function InviteForm({ frame, project, address, canSendMail, typed, faults }: InvitationsPageProps) {
  return (
    <form class="form" method="post" action={`${address}/create`}>
      <FormHead frame={frame} />
      {project && (
        <Field
          id="team"
          label={words.team}
          faults={faults.team}
          control={(marks) => (
            <select {...marks} class="short" name="team">
              {teams.map((team) => (
                <option key={team} value={team} selected={team === typed.team}>
                  {words.teams[team]}
                </option>
              ))}
            </select>
          )}
        />
      )}
      {canSendMail ? (
        <TextField
          id="email"
          label={words.email}
          hint={words.emailHint}
          value={typed.email}
          faults={faults.email}
          type="email"
          autocomplete="off"
          maxLength={maxEmailLength}
        />
      ) : (
        <p class="hint">{words.noMail}</p>
      )}
      <p class="actions">
        <button class="button" type="submit">
          {words.button}
        </button>
      </p>
    </form>
  );
}

function Line(props: { frame: PageFrame; address: string; invitation: Invitation }) {
  const { frame, address, invitation } = props;
  const whom = invitation.email ?? words.byLink;
  const team: Team | null = invitation.into?.team ?? null;
  return (
    <li class="person">
      <div>
        <span class="version" dir="auto">
          {whom}
        </span>
        <p class="hint">
          {team && `${words.teams[team]}, `}
          {words.by} <bdi>{invitation.invitedBy ?? words.someone}</bdi>, {words.expires}{' '}
          <LastDay before={invitation.expiresAt} />
        </p>
      </div>
      <form method="post" action={`${address}/${encodeURIComponent(invitation.id)}/revoke`}>
        <FormHead frame={frame} />
        <button class="quiet" type="submit" aria-label={words.revokeOf(whom)}>
          {words.revoke}
        </button>
      </form>
    </li>
  );
}
