/** The page that lists everyone with access to an app, and why. */

import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { inviteLinkTexts } from '../../accounts/invitations/invite-link-texts.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import type { AddedPerson } from '../../accounts/invitations/people-list.ts';
import { addedPeopleContent, PeopleListField } from '../../accounts/invitations/people-list-field.tsx';
import { groupsPath, projectInviteLinksPath } from '../../owners/owner-paths.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { inviteLinksPath, peoplePath } from '../app-paths.ts';
import { peopleTexts } from './app-tester-texts.ts';
import { AppPeopleTable, type PeopleProps, TeamAccessNote } from './app-testers-list.tsx';

export interface PeoplePageProps extends PeopleProps {
  head: AppHead;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
  /** Pending invitations. */
  pending: readonly NamedInvitation[];
  /** The rejected input. */
  submitted: string;
  errors: readonly string[];
}

const t = peopleTexts;

export function renderPeoplePage(props: PeoplePageProps): string {
  const { frame, app, found } = props;
  const address = peoplePath(app.owner, app.platform, app.packageName);
  const shares = app.owner.kind === 'user';
  const people = (
    <section aria-labelledby="access">
      <div class="section-head">
        <h2 id="access">{t.table}</h2>
        <LiveSearch
          address={address}
          part="people"
          query={found.query}
          label={t.search}
          hint={t.searchHint}
          button={t.searchButton}
        />
      </div>
      <div id="people">
        <AppPeopleTable frame={frame} app={app} found={found} managesTeams={props.managesTeams} />
      </div>
      <PendingInvitations frame={frame} invitations={props.pending} address={`${address}/invitations`} />
    </section>
  );
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'testers',
    title: t.title,
    line: shares ? t.lineShared : <TeamAccessNote app={app} />,
    actions: (
      <>
        {props.managesTeams && (
          <a class="button" href={projectInviteLinksPath(app.owner.name)}>
            {inviteLinkTexts.invite}
          </a>
        )}
        <a class="button" href={`${address}.csv`} aria-label={t.csvOf}>
          <Glyph name="download" />
          {t.csv}
        </a>
      </>
    ),
    done: props.done,
    children: shares ? (
      <div class="columns columns-aside">
        {people}
        <div class="aside">
          <AddForm {...props} />
          <p>
            <a href={inviteLinksPath(app)}>{inviteLinkTexts.invite}</a>
          </p>
          <p>
            <a href={groupsPath(app.owner)}>{t.groups}</a>
          </p>
        </div>
      </div>
    ) : (
      people
    ),
  });
}

function AddForm({ frame, app, submitted, errors }: PeoplePageProps) {
  return (
    <section class="panel panel-pad" aria-labelledby="add">
      <h2 id="add">{t.addTitle}</h2>
      <PostForm
        frame={frame}
        class="add-person"
        action={`${peoplePath(app.owner, app.platform, app.packageName)}/add`}
      >
        <PeopleListField label={t.add} hint={t.addHint} value={submitted} errors={errors} />
        <SubmitButton label={t.addButton} tone="primary" />
      </PostForm>
    </section>
  );
}

/** The result for each entry of a list. */
export function renderAddedTesters(props: {
  frame: PageFrame;
  app: App;
  head: AppHead;
  people: readonly AddedPerson[];
}): string {
  const { frame, app, head, people } = props;
  const address = peoplePath(app.owner, app.platform, app.packageName);
  return renderAppArea({
    frame,
    head,
    tab: 'testers',
    crumb: { label: t.title, address },
    ...addedPeopleContent(people, address),
  });
}
