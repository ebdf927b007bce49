import { Fragment } from 'preact';
import { Confirm } from '../../web/components/form-field.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { unlinkIdentityPath } from '../profile/account-paths.ts';
import type { LinkedIdentity } from './provider-identity.ts';
import type { SignOnChoice } from './single-sign-on-button.tsx';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

const t = singleSignOnTexts.section;

export interface SingleSignOnSectionProps {
  frame: PageFrame;
  identities: readonly (LinkedIdentity & { provider: string })[];
  /** The providers that the person can link an identity of, and where that starts. */
  linkable: readonly SignOnChoice[];
  /** Why a linked identity can't be unlinked; null if it can. */
  unlinkBlockedReason: string | null;
}

/** The section of the profile that lists linked identities. */
export function SingleSignOnSection(props: SingleSignOnSectionProps) {
  const { frame, identities, linkable, unlinkBlockedReason } = props;
  return (
    <section class="settings-section" aria-labelledby="single-sign-on">
      <h2 id="single-sign-on">{t.title}</h2>
      {identities.length > 0 && (
        <ul class="link-list">
          {identities.map((identity) => (
            <Identity
              key={`${identity.issuer} ${identity.subject}`}
              frame={frame}
              identity={identity}
              canUnlink={unlinkBlockedReason === null}
            />
          ))}
        </ul>
      )}
      {identities.length > 0 && unlinkBlockedReason !== null && (
        <p class="secondary fine after-list">{unlinkBlockedReason}</p>
      )}
      {linkable.map(({ name, path }) => (
        <Fragment key={path}>
          <p class="secondary" dir="auto">
            {t.none({ provider: name })}
          </p>
          <p class="actions after-list">
            <a class="button" href={path}>
              <bdi>{t.link({ provider: name })}</bdi>
            </a>
          </p>
        </Fragment>
      ))}
    </section>
  );
}

function Identity(props: {
  frame: PageFrame;
  identity: SingleSignOnSectionProps['identities'][number];
  canUnlink: boolean;
}) {
  const { frame, identity, canUnlink } = props;
  const { provider } = identity;
  const label = identity.label || identity.subject;
  return (
    <li class="person">
      <div>
        <bdi class="version">{label}</bdi>
        <p class="hint">
          {t.facts({ provider, name: isolated, time: timeOf(identity.createdAt, frame.now) })}
        </p>
      </div>
      {canUnlink && (
        <Confirm
          frame={frame}
          action={unlinkIdentityPath}
          ask={t.unlink}
          label={t.unlinkOf({ label })}
          line={t.unlinkLine({ provider })}
          tone="quiet"
        >
          <input type="hidden" name="issuer" value={identity.issuer} />
          <input type="hidden" name="subject" value={identity.subject} />
        </Confirm>
      )}
    </li>
  );
}
