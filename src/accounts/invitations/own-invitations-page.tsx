/** Open invitations of the signed-in person and, for inviters, the people who have not responded yet. */

import type { InvitedAs } from '../../owners/owner.ts';
import { Confirm, PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { isolated, lastDayOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { accountTexts } from '../account-texts.ts';
import { ownInvitationsPath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import { inviteeOf, type NamedInvitation, type PersonalInvitation } from './invitation.ts';

const t = accountTexts.ownInvitations;

export function renderOwnInvitations(props: {
  frame: PageFrame;
  invitations: readonly PersonalInvitation[];
  done: string | null;
}): string {
  const { frame, invitations } = props;
  return renderSettings({
    frame,
    part: 'invitations',
    line: t.line,
    children: (
      <>
        <SuccessMessage sentence={props.done} />
        {invitations.length === 0 ? (
          <p class="secondary">{t.none}</p>
        ) : (
          <ul class="link-list">
            {invitations.map((invitation) => (
              <Line key={invitation.id} frame={frame} invitation={invitation} />
            ))}
          </ul>
        )}
      </>
    ),
  });
}

function Line({ frame, invitation }: { frame: PageFrame; invitation: PersonalInvitation }) {
  const { id, place, invitedBy, expiresAt } = invitation;
  const address = `${ownInvitationsPath}/${encodeURIComponent(id)}`;
  return (
    <li class="person">
      <div>
        <span class="version" dir="auto">
          {t.places[place.kind]({ name: place.name })}
        </span>
        <p class="hint">
          {t.facts({
            role: roleIn(place),
            inviter: invitedBy ?? accountTexts.invitations.someone,
            name: isolated,
            day: lastDayOf(expiresAt),
          })}
        </p>
      </div>
      <div class="member-forms">
        <PostForm frame={frame} action={`${address}/accept`}>
          <SubmitButton label={t.accept} aria-label={t.acceptOf({ name: place.name })} />
        </PostForm>
        <Confirm
          frame={frame}
          action={`${address}/decline`}
          ask={t.decline}
          label={t.declineOf({ name: place.name })}
          line={t.declineLine}
          tone="quiet"
        />
      </div>
    </li>
  );
}

function roleIn(place: NamedInvitation['place']): InvitedAs {
  if (place.kind === 'project') return place.team;
  return place.kind === 'app' ? 'tester' : place.role;
}

/**
 * The people who have not responded, shown on the page of the place unless there are none. `address`: base path of the routes
 * that cancel invitations.
 */
export function PendingInvitations(props: {
  frame: PageFrame;
  invitations: readonly NamedInvitation[];
  address: string;
}) {
  const { frame, invitations, address } = props;
  if (invitations.length === 0) return null;
  return (
    <section aria-labelledby="invited">
      <h2 id="invited">{t.pending}</h2>
      <p class="hint lead-hint">{t.pendingLine}</p>
      <ul class="link-list">
        {invitations.map((invitation) => (
          <li class="person" key={invitation.id}>
            <span>
              <bdi>{inviteeOf(invitation)}</bdi>{' '}
              <span class="secondary fine">
                {t.pendingFacts({ role: roleIn(invitation.place), day: lastDayOf(invitation.expiresAt) })}
              </span>
            </span>
            <Confirm
              frame={frame}
              action={`${address}/${encodeURIComponent(invitation.id)}/cancel`}
              ask={t.cancel}
              label={t.cancelOf({ name: inviteeOf(invitation) })}
              line={t.cancelLine}
              button={t.cancelButton}
              tone="quiet"
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
