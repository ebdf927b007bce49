/** One person’s account with its sessions and keys, and actions for administrators. */

import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../accounts/keys/api-key.ts';
import { KeyList } from '../accounts/keys/key-list.tsx';
import type { Workspace, WorkspaceRole } from '../owners/owner.ts';
import {
  ownerDeletionPath,
  ownerSettingsPath,
  teamsPath,
  workspaceSettingsPath,
} from '../owners/owner-paths.ts';
import type { MemberProject, NamePageResult } from '../projects/lists/project-list.ts';
import { projectTexts } from '../projects/project-texts.ts';
import { Facts } from '../web/components/facts.tsx';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { formatList } from '../web/components/formats.ts';
import { Paging } from '../web/components/paging.tsx';
import { CopyLine } from '../web/components/share-actions.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import { renderAdministration } from '../web/shell/administration-frame.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { sitePaths } from '../web/shell/site-paths.ts';
import { actionsPath, personPath } from './administration-paths.ts';
import { PersonBadges, secondFactorOf } from './administration-people-page.tsx';
import type { Person } from './administration-person.ts';
import { administrationTexts } from './administration-texts.ts';

export interface PersonPageProps {
  frame: PageFrame;
  person: Person;
  /** Whether it is the viewer’s own account. */
  isSelf: boolean;
  /** One page of the person’s Projects. */
  projects: NamePageResult<MemberProject>;
  /** Workspaces in which the person has a role. */
  workspaces: readonly (Workspace & { role: WorkspaceRole })[];
  sessions: number;
  /** Active keys, newest first. */
  keys: readonly ApiKey[];
  canSendMail: boolean;
  /** Absolute URL of the reset link; shown once. */
  resetLink: string | null;
  done: string | null;
  /** Why the action was refused, as a full sentence. */
  refusal: string | null;
}

const t = administrationTexts.person;

export function renderPersonPage(props: PersonPageProps): string {
  const { frame, person, refusal } = props;
  return renderAdministration({
    frame,
    part: 'people',
    title: person.user.name,
    state: <PersonBadges person={person} />,
    list: { label: administrationTexts.people.title, address: sitePaths.people },
    done: props.done,
    children: (
      <>
        {refusal !== null && (
          <div class="callout callout-danger" role="alert">
            <p class="callout-title">{t.refused}</p>
            <p>{refusal}</p>
          </div>
        )}
        {props.resetLink !== null && <ResetLink link={props.resetLink} name={person.user.name} />}
        <div class="halves">
          <div class="stack">
            <Account {...props} />
            <PersonalData {...props} />
            <Projects {...props} />
          </div>
          <div class="stack">
            <Sessions {...props} />
            <Keys {...props} />
            <NewPassword {...props} />
            <ResetFactorsSection {...props} />
            <AdministratorSection {...props} />
          </div>
        </div>
      </>
    ),
  });
}

function ResetLink({ link, name }: { link: string; name: string }) {
  return (
    <section class="made-key" aria-labelledby="reset-link">
      <h2 id="reset-link">{t.resetLink}</h2>
      <p role="status">{t.resetLinkLine}</p>
      <CopyLine address={link} name={name} />
    </section>
  );
}

function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function PersonalData({ person }: PersonPageProps) {
  return (
    <Section id="data" title={t.data}>
      <p>{t.dataHint}</p>
      <p class="actions">
        <a class="button" href={`${personPath(person.user.name)}/data.json`} download="">
          {t.download}
        </a>
      </p>
    </Section>
  );
}

function Account({ frame, person }: PersonPageProps) {
  const { user } = person;
  const list = administrationTexts.people;
  const seen = person.lastSeenAt;
  return (
    <Section id="account" title={t.facts}>
      <Facts
        facts={[
          { label: list.email, value: user.email === null ? t.noEmail : <bdi>{user.email}</bdi> },
          {
            label: list.lastSeen,
            value: seen === null ? list.never : <Timestamp at={seen} now={frame.now} />,
          },
          { label: t.made, value: <Timestamp at={person.madeAt} now={frame.now} /> },
          { label: t.password, value: person.hasPassword ? t.hasPassword : t.noPassword },
          { label: list.secondFactor, value: secondFactorOf(person) },
          {
            label: t.disabledSince,
            value: person.disabledAt !== null && <Timestamp at={person.disabledAt} now={frame.now} exact />,
          },
        ].filter(({ value }) => value !== false)}
      />
      <p class="actions after-list">
        <a class="button" href={actionsPath(user.name)}>
          {t.log}
        </a>
        <a class="button" href={ownerSettingsPath(user)}>
          {t.storage}
        </a>
      </p>
    </Section>
  );
}

function Projects({ projects, workspaces }: PersonPageProps) {
  return (
    <>
      <Section id="projects" title={t.projects}>
        {projects.items.length === 0 ? (
          <p class="secondary">{t.noProjects}</p>
        ) : (
          <ul class="link-list">
            {projects.items.map(({ project: { id, name }, teams }) => (
              <li key={id}>
                <span class="line">
                  <a href={teamsPath(name)}>
                    <bdi>{name}</bdi>
                  </a>
                  <span class="secondary fine">{formatList(teams.map((team) => t.teams[team]))}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
        <Paging links={projects.paging} label={t.moreProjects} byName />
      </Section>
      {workspaces.length > 0 && (
        <Section id="workspaces" title={t.workspaces}>
          <ul class="link-list">
            {workspaces.map(({ id, name, displayName, role }) => (
              <li key={id}>
                <span class="line">
                  <a href={workspaceSettingsPath(name)}>
                    <bdi>{displayName}</bdi>
                  </a>
                  <span class="secondary fine">{projectTexts.workspacePeople.roles[role]}</span>
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** A button with an explanation. `path` is relative to that of the person. */
function Action(props: PersonPageProps & { path: string; label: string; line?: string }) {
  return (
    <PostForm
      frame={props.frame}
      class="care-form"
      action={`${personPath(props.person.user.name)}/${props.path}`}
    >
      {props.line !== undefined && <p class="hint">{props.line}</p>}
      <SubmitButton label={props.label} />
    </PostForm>
  );
}

/** The same for an action that must be confirmed. */
function Ask(props: PersonPageProps & { path: string; title: string; label: string; line: string }) {
  return (
    <div class="care-form">
      <Confirm
        frame={props.frame}
        action={`${personPath(props.person.user.name)}/${props.path}`}
        ask={props.title}
        line={props.line}
        button={props.label}
      />
    </div>
  );
}

function Sessions(props: PersonPageProps) {
  const { sessions, isSelf } = props;
  return (
    <Section id="sessions" title={t.sessions}>
      <p class="secondary">{t.sessionCount({ count: sessions })}</p>
      {sessions > 0 && !isSelf && (
        <Ask
          {...props}
          path="sessions/end"
          title={t.endSessions}
          label={t.endSessions}
          line={t.endSessionsLine}
        />
      )}
    </Section>
  );
}

function Keys({ frame, keys, person }: PersonPageProps) {
  return (
    <Section id="keys" title={t.keys}>
      {keys.length === 0 ? (
        <p class="secondary">{t.noKeys}</p>
      ) : (
        <>
          {person.disabledAt !== null && <p class="hint lead-hint">{t.keysRest}</p>}
          <KeyList frame={frame} address={`${personPath(person.user.name)}/keys`} keys={keys} />
        </>
      )}
    </Section>
  );
}

function NewPassword(props: PersonPageProps) {
  const { frame, person, canSendMail, isSelf } = props;
  if (isSelf || person.disabledAt !== null || frame.hasPasswords === false) return null;
  const { email } = person.user;
  return (
    <Section id="reset" title={t.reset}>
      {canSendMail && email !== null && (
        <Action
          {...props}
          path="reset-link/send"
          label={t.sendReset}
          line={t.resetByMail({ address: email })}
        />
      )}
      <Action {...props} path="reset-link/create" label={t.createPasswordResetToken} line={t.resetByHand} />
    </Section>
  );
}

function ResetFactorsSection(props: PersonPageProps) {
  const { person, isSelf } = props;
  if (isSelf || (!person.hasTotp && person.passkeys === 0)) return null;
  const isTold = person.user.email !== null && props.canSendMail;
  const line = isTold ? t.resetFactorsLineTold : t.resetFactorsLine;
  return (
    <Section id="factors" title={t.factors}>
      <Ask {...props} path="factors/reset" title={t.resetFactors} label={t.resetFactorsButton} line={line} />
    </Section>
  );
}

function AdministratorSection(props: PersonPageProps) {
  const { person, isSelf } = props;
  const { administrator } = person.user;
  return (
    <Section id="rights" title={t.rights}>
      {isSelf && <p class="secondary">{t.yourself}</p>}
      {administrator ? (
        <Ask
          {...props}
          path="administrator/remove"
          title={t.removeAdministrator}
          label={t.removeAdministrator}
          line={t.rightsLine}
        />
      ) : (
        <Action {...props} path="administrator/grant" label={t.make} line={t.rightsLine} />
      )}
      {!isSelf &&
        (person.disabledAt === null ? (
          <Ask {...props} path="disable" title={t.disableTitle} label={t.disable} line={t.disableLine} />
        ) : (
          <Action {...props} path="enable" label={t.enable} line={t.enableLine} />
        ))}
      <div class="care-form">
        <p class="hint">{t.deleteLine}</p>
        <a class="button button-danger" href={ownerDeletionPath(person.user)}>
          {t.delete}
        </a>
      </div>
    </Section>
  );
}
