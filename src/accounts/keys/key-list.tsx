import type { ComponentChildren } from 'preact';
import { Badge } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { Confirm } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { isolated, lastDayOf, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type ApiKey, stateOf } from './api-key.ts';
import { rotationOverlaps } from './key-changes.ts';
import { keyTexts } from './key-texts.ts';

const t = keyTexts;

interface KeyLineProps {
  frame: PageFrame;
  /** Path of the form that revokes a key. */
  address: string;
  /** Places that each restricted key is limited to, by key id. */
  places?: ReadonlyMap<string, readonly string[]>;
  /** Whether the page has forms to rotate a key. */
  canRotate?: boolean;
}

export function KeyList({ keys, ...line }: KeyLineProps & { keys: readonly ApiKey[] }) {
  return (
    <ul class="link-list">
      {keys.map((key) => (
        <KeyLine key={key.id} {...line} apiKey={key} />
      ))}
    </ul>
  );
}

function KeyLine(props: KeyLineProps & { apiKey: ApiKey }) {
  const { frame, address, apiKey, places, canRotate = false } = props;
  const { now } = frame;
  const state = stateOf(apiKey, now);
  const usable = state === 'usable';
  const name = apiKey.name || t.unnamed;
  return (
    <li>
      <span class="line">
        <span class="version" dir="auto">
          {name}
        </span>
        <span class="with-badge">
          <Badge tone={usable ? 'good' : 'plain'}>{t.states[state]}</Badge>
          {shownScopes(apiKey).map((scope) => (
            <Badge key={scope} tone="plain">
              {t.scope[scope]}
            </Badge>
          ))}
        </span>
      </span>
      <InlineCode text={`${apiKey.hint}…`} />
      <p class="hint">
        {creation(apiKey, now)}
        {apiKey.rotatedAt !== null && (
          <>
            {' · '}
            {t.rotatedAt({ time: timeOf(apiKey.rotatedAt, now) })}
          </>
        )}
        {' · '}
        {lastUse(apiKey, now)}
        {' · '}
        {end(apiKey, now)}
      </p>
      {apiKey.restriction && <Places places={places?.get(apiKey.id)} />}
      {usable && canRotate && <OldSecret frame={frame} address={address} apiKey={apiKey} />}
      {usable && (
        <div class="folds">
          {canRotate && <Rotate frame={frame} address={address} apiKey={apiKey} />}
          <Confirm
            frame={frame}
            action={`${address}/${apiKey.id}/revoke`}
            ask={t.revoke}
            label={t.revokeOf({ name })}
            line={t.revokeLine}
            button={t.revokeButton}
            tone="quiet"
          />
        </div>
      )}
    </li>
  );
}

/** The scopes worth showing: `manage` includes `upload` and `read`. */
const shownScopes = ({ scopes }: ApiKey) =>
  scopes.includes('manage') ? scopes.filter((scope) => scope !== 'upload' && scope !== 'read') : scopes;

function creation({ createdAt, createdBy, client }: ApiKey, now: number): ComponentChildren {
  const time = timeOf(createdAt, now);
  if (client !== null) return t.signedIn({ time });
  if (createdBy === null) return t.created({ time });
  const created = createdBy.left ? t.createdByFormerMember : t.createdBy;
  return created({ time, user: createdBy.name, name: isolated });
}

function lastUse({ lastUsedAt, lastUsedNetwork }: ApiKey, now: number): ComponentChildren {
  if (lastUsedAt === null) return t.neverUsed;
  const time = timeOf(lastUsedAt, now);
  return lastUsedNetwork
    ? t.lastUsedFrom({ time, network: lastUsedNetwork, address: isolated })
    : t.lastUsed({ time });
}

function Places({ places }: { places: readonly string[] | undefined }) {
  return (
    <p class="hint">
      {places === undefined
        ? t.restrictedSomewhere
        : t.restricted({ places: formatList(places), names: isolated })}
    </p>
  );
}

type KeyFormProps = Pick<KeyLineProps, 'frame' | 'address'> & { apiKey: ApiKey };

function OldSecret({ frame, address, apiKey }: KeyFormProps) {
  const { previousUntil } = apiKey;
  if (previousUntil === null || previousUntil <= frame.now) return null;
  return (
    <div class="line">
      <span class="hint">{t.oldSecret({ time: timeOf(previousUntil, frame.now, true) })}</span>{' '}
      <Confirm
        frame={frame}
        action={`${address}/${apiKey.id}/end-old-secret`}
        ask={t.endOld}
        label={t.endOldOf({ name: apiKey.name || t.unnamed })}
        line={t.endOldLine}
        button={t.endOldButton}
        tone="quiet"
      />
    </div>
  );
}

function Rotate({ frame, address, apiKey }: KeyFormProps) {
  const name = apiKey.name || t.unnamed;
  return (
    <Confirm
      frame={frame}
      action={`${address}/${apiKey.id}/rotate`}
      ask={t.rotate}
      label={t.rotateOf({ name })}
      line={t.rotateLine}
      button={t.rotateButton}
      buttonTone="primary"
      tone="quiet"
    >
      <SelectField
        id={`overlap-${apiKey.id}`}
        label={t.overlap}
        name="overlap"
        options={[...rotationOverlaps].reverse().map((days) => [String(days), t.overlaps[days]])}
        short
      />
    </Confirm>
  );
}

function end({ revokedAt, expiresAt }: ApiKey, now: number): ComponentChildren {
  if (revokedAt !== null) return t.revokedAt({ time: timeOf(revokedAt, now) });
  if (expiresAt === null) return t.neverExpires;
  return (expiresAt > now ? t.expiresAt : t.expiredAt)({ day: lastDayOf(expiresAt) });
}
