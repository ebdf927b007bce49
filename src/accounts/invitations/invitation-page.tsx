/** The page behind an invitation link. */

import { projectPath } from '../../owners/owner-paths.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { accountTexts } from '../account-texts.ts';
import { invitationPath, signInPath } from '../profile/account-paths.ts';
import { NewAccountForm, type NewAccountFormProps } from '../profile/sign-up-page.tsx';
import { type SignOnChoice, SingleSignOnButtons } from '../single-sign-on/single-sign-on-button.tsx';
import type { Invitation } from './invitation.ts';

const t = accountTexts.invitation;

export interface InvitationPageProps {
  frame: PageFrame;
  token: string;
  /** Null if the invitation is not valid. */
  invitation: Invitation | null;
  /** Whether the signed-in person already has everything that the invitation grants. */
  isMember: boolean;
  /** Null on a server without passwords. */
  form: Omit<NewAccountFormProps, 'address' | 'frame'> | null;
  /** The single sign-on providers. */
  providers: readonly SignOnChoice[];
}

export function renderInvitationPage({
  frame,
  token,
  invitation,
  isMember,
  form,
  providers,
}: InvitationPageProps): string {
  const title = invitation ? t.title : t.goneTitle;
  return renderPage({
    frame,
    title,
    width: 'narrow',
    forms: true,
    children: (
      <>
        <div class="page-head">
          <h1>{title}</h1>
          {invitation ? (
            <InvitationTargetText invitation={invitation} />
          ) : (
            <p class="secondary page-line">{t.goneLine}</p>
          )}
        </div>
        {!invitation && (
          <p class="actions">
            <a class="button" href={sitePaths.home}>
              {texts.errors.home}
            </a>
          </p>
        )}
        {invitation?.into && isMember && (
          <>
            <p>{t.member({ name: invitation.into.name })}</p>
            <p class="actions">
              <a class="button button-primary" href={projectPath(invitation.into.name)}>
                {t.open}
              </a>
            </p>
          </>
        )}
        {invitation && frame.viewer && !isMember && (
          <Join frame={frame} token={token} invitation={invitation} name={frame.viewer.name} />
        )}
        {invitation && !frame.viewer && (
          <NewAccount frame={frame} token={token} invitation={invitation} form={form} providers={providers} />
        )}
      </>
    ),
  });
}

function InvitationTargetText({ invitation }: { invitation: Invitation }) {
  const inviter = invitation.invitedBy ?? t.someone;
  const { into } = invitation;
  return (
    <>
      <p class="lead" dir="auto">
        {into ? t.into[into.kind]({ inviter, name: into.name }) : t.here({ inviter })}
      </p>
      {into && <p class="secondary page-line">{into.kind === 'project' ? t.teams[into.team] : t.tester}</p>}
    </>
  );
}

function Join(props: { frame: PageFrame; token: string; invitation: Invitation; name: string }) {
  const { frame, token, invitation, name } = props;
  if (invitation.into === null) return <p class="secondary">{t.accountAlready}</p>;
  return (
    <>
      <PostForm frame={frame} action={`${invitationPath(token)}/join`}>
        <SubmitButton label={t.join({ name })} tone="primary" />
      </PostForm>
      <p class="secondary fine after-list">{t.other}</p>
    </>
  );
}

function NewAccount(props: {
  frame: PageFrame;
  token: string;
  invitation: Invitation;
  form: InvitationPageProps['form'];
  providers: readonly SignOnChoice[];
}) {
  const { frame, token, invitation, form, providers } = props;
  const address = invitationPath(token);
  return (
    <>
      <SingleSignOnButtons choices={providers} to={address} alone={form === null} />
      {form && invitation.into && (
        <p class="actions">
          <a class="button button-primary" href={signInPath(address)}>
            {t.signIn}
          </a>
        </p>
      )}
      {form && (
        <section class="settings-section" aria-labelledby="fresh">
          <h2 id="fresh">{invitation.into ? t.fresh : t.freshHere}</h2>
          <NewAccountForm {...form} frame={frame} address={`${address}/create-account`} />
        </section>
      )}
    </>
  );
}
