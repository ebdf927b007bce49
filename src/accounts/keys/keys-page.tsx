/** The API keys page of a User or Project. */

import type { Owner } from '../../owners/owner.ts';
import { managerPermissions, renderOwnerArea } from '../../owners/owner-area.tsx';
import { ciPath, trustedPublishingPath } from '../../owners/owner-paths.ts';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Confirm, SuccessMessage } from '../../web/components/form-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { ownKeysPath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import type { ApiKey } from './api-key.ts';
import { CreateKeyForm } from './key-form.tsx';
import { KeyList } from './key-list.tsx';
import type { KeyFormErrors, KeyFormValues } from './key-request.ts';
import type { ListedPlace } from './key-restriction.ts';
import { keyTexts } from './key-texts.ts';

export interface KeysPageProps {
  frame: PageFrame;
  owner: Owner;
  /** Base path of the forms. */
  address: string;
  /** Newest first. */
  usable: readonly ApiKey[];
  ended: readonly ApiKey[];
  moreEnded: boolean;
  /** Places that a key can be restricted to. */
  listed: readonly ListedPlace[];
  submitted: KeyFormValues;
  errors: KeyFormErrors;
  /** The key just created, shown once. */
  made: { key: string; record: ApiKey; rotated: boolean } | null;
  /** Places that each restricted key is limited to, by key id. */
  places: ReadonlyMap<string, readonly string[]>;
  /** Asks the person to review their keys and trusted publishers, of which there are so many, after a password reset; null otherwise. */
  review: { publishers: number } | null;
  done: string | null;
}

const t = keyTexts;

export function renderKeysPage(props: KeysPageProps): string {
  const { frame, owner } = props;
  if (owner.kind === 'user') {
    return renderSettings({ frame, part: 'keys', line: t.line, children: <Keys {...props} /> });
  }
  return renderOwnerArea({
    frame,
    owner,
    permissions: managerPermissions,
    part: 'keys',
    title: t.title,
    line: owner.workspace ? t.workspaceLine : t.projectLine,
    children: (
      <div class="one-column">
        <Keys {...props} />
      </div>
    ),
  });
}

function Keys(props: KeysPageProps) {
  const { frame, usable, ended } = props;
  return (
    <>
      <SuccessMessage sentence={props.done} />
      {props.review && usable.length + props.review.publishers > 0 && (
        <ReviewKeys frame={frame} owner={props.owner} {...props.review} />
      )}
      {props.made && <NewKey {...props} made={props.made} />}
      <section class="settings-section" aria-labelledby="keys">
        <div class="section-head">
          <h2 id="keys">{t.list}</h2>
          <a class="fine" href={ciPath(props.owner)}>
            {texts.links.ci}
          </a>
        </div>
        {usable.length === 0 ? (
          <EmptyState title={t.none}>
            <p class="secondary">{t.noneLine}</p>
          </EmptyState>
        ) : (
          <KeyList frame={frame} address={props.address} keys={usable} places={props.places} canRotate />
        )}
        {ended.length > 0 && (
          <details class="quiet-fold">
            <summary>{t.ended({ count: ended.length })}</summary>
            <KeyList frame={frame} address={props.address} keys={ended} places={props.places} />
            {props.moreEnded && <p class="hint">{t.moreEnded}</p>}
          </details>
        )}
      </section>
      <section class="settings-section" aria-labelledby="make">
        <h2 id="make">{t.make}</h2>
        <CreateKeyForm
          frame={frame}
          owner={props.owner}
          address={props.address}
          listed={props.listed}
          submitted={props.submitted}
          errors={props.errors}
        />
      </section>
    </>
  );
}

/** A password reset ends neither keys nor trusted publishers, so people should check for those created by someone else. */
function ReviewKeys({ frame, owner, publishers }: { frame: PageFrame; owner: Owner; publishers: number }) {
  return (
    <section class="callout callout-warning" aria-labelledby="review">
      <h2 id="review" class="callout-title">
        {t.reviewTitle}
      </h2>
      <p>{t.reviewLine}</p>
      {publishers > 0 && (
        <p>
          <a href={trustedPublishingPath(owner)}>{t.reviewPublishers({ count: publishers })}</a>
        </p>
      )}
      <Confirm
        frame={frame}
        action={`${ownKeysPath}/revoke-all`}
        ask={t.revokeAll}
        line={t.revokeAllLine}
        button={t.revokeAllButton}
      />
    </section>
  );
}

function NewKey({ frame, owner, made }: KeysPageProps & { made: NonNullable<KeysPageProps['made']> }) {
  const { previousUntil } = made.record;
  return (
    <section class="made-key" aria-labelledby="made" data-news tabIndex={-1}>
      <h2 id="made">{made.rotated ? t.rotatedTitle : t.madeTitle}</h2>
      <p role="status">{t.madeLine}</p>
      {made.rotated && (
        <p>
          {previousUntil === null
            ? t.oldEnded
            : t.oldSecret({ time: timeOf(previousUntil, frame.now, true) })}
        </p>
      )}
      <CodeBlock text={made.key} label={t.keyLabel} />
      {made.record.scopes.some((scope) => scope !== 'read') &&
        (owner.kind === 'user' || owner.workspace === null) && (
          <>
            <h3>{t.useTitle}</h3>
            <CodeBlock text={commandsWith(made.key, frame.origin, owner.name)} label={t.useLabel} />
            <p>
              <a href={ciPath(owner)}>{t.otherSystems}</a>
            </p>
          </>
        )}
    </section>
  );
}

function commandsWith(key: string, origin: string, ownerName: string): string {
  return [
    `export SLIPWAY_API_KEY=${key}`,
    `curl ${origin}/api/users/${encodeURIComponent(ownerName)}/apps \\`,
    '  -H "Authorization: Bearer $SLIPWAY_API_KEY" \\',
    '  -F file=@app-release.apk',
  ].join('\n');
}
