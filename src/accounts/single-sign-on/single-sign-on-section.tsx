import { Confirm } from '../../web/components/form-field.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { linkIdentityPath, unlinkIdentityPath } from '../profile/account-paths.ts';
import type { LinkedIdentity } from './provider-identity.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

const t = singleSignOnTexts.section;

export interface SingleSignOnSectionProps {
  frame: PageFrame;
  provider: string;
  identities: readonly LinkedIdentity[];
  /** Whether the person can link an identity now. */
  canLink: boolean;
  /** Why a linked identity can't be unlinked; null if it can. */
  unlinkBlockedReason: string | null;
}

/** The section of the profile that lists linked identities. */
export function SingleSignOnSection(props: SingleSignOnSectionProps) {
  const { frame, provider, identities, canLink, unlinkBlockedReason } = props;
  return (
    <section class="settings-section" aria-labelledby="single-sign-on">
      <h2 id="single-sign-on">{t.title}</h2>
      {identities.length > 0 && (
        <ul class="link-list">
          {identities.map((identity) => (
            <Identity
              key={`${identity.issuer} ${identity.subject}`}
              frame={frame}
              provider={provider}
              identity={identity}
              canUnlink={unlinkBlockedReason === null}
            />
          ))}
        </ul>
      )}
      {identities.length > 0 && unlinkBlockedReason !== null && (
        <p class="secondary fine after-list">{unlinkBlockedReason}</p>
      )}
      {canLink && (
        <>
          <p class="secondary" dir="auto">
            {t.none({ provider })}
          </p>
          <p class="actions after-list">
            <a class="button" href={linkIdentityPath}>
              <bdi>{t.link({ provider })}</bdi>
            </a>
          </p>
        </>
      )}
    </section>
  );
}

function Identity(props: {
  frame: PageFrame;
  provider: string;
  identity: LinkedIdentity;
  canUnlink: boolean;
}) {
  const { frame, provider, identity, canUnlink } = props;
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
          button={t.unlink}
          tone="quiet"
          from="end"
        >
          <input type="hidden" name="issuer" value={identity.issuer} />
          <input type="hidden" name="subject" value={identity.subject} />
        </Confirm>
      )}
    </li>
  );
}
