/** Page with everyone who has access to a User's app. */
import type { PersonalInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { peoplePath } from '../app-paths.ts';
import { peopleTexts } from './app-tester-texts.ts';
import { PeopleForms, type PeopleProps, TeamAccessNote } from './app-testers-list.tsx';

export interface PeoplePageProps extends PeopleProps {
  head: AppHead;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
  /** Pending invitations. */
  pending: readonly PersonalInvitation[];
  submitted: string;
  errors: readonly string[];
}

export function renderPeoplePage(props: PeoplePageProps): string {
  const { frame, app, people } = props;
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'testers',
    title: peopleTexts.title,
    done: props.done,
    width: 'narrow',
    children: (
      <>
        {people === 'teams' ? <TeamAccessNote app={app} /> : <PeopleForms {...props} people={people} />}
        <PendingInvitations
          frame={frame}
          invitations={props.pending}
          address={`${peoplePath(app.owner, app.platform, app.packageName)}/invitations`}
        />
      </>
    ),
  });
}
