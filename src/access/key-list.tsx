import { accountTexts } from '../web/account-texts.ts';
import { Badge } from '../web/callout.tsx';
import { Machine } from '../web/code-block.tsx';
import { FormHead } from '../web/form-field.tsx';
import { LastDay, Moment } from '../web/moment.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { type ApiKey, isUsable } from './api-key.ts';

const words = accountTexts.keys;

interface KeyLineProps {
  frame: PageFrame;
  /** Where the form goes that revokes one. */
  address: string;
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

function KeyLine({ frame, address, apiKey }: KeyLineProps & { apiKey: ApiKey }) {
  const { now } = frame;
  const usable = isUsable(apiKey, now);
  const state = usable ? 'usable' : apiKey.revokedAt === null ? 'expired' : 'revoked';
  const name = apiKey.name || words.unnamed;
  return (
    <li>
      <span class="line">
        <span class="version" dir="auto">
          {name}
        </span>
        <Badge tone={usable ? 'good' : 'plain'}>{words.states[state]}</Badge>
      </span>
      <Machine text={`${apiKey.hint}…`} />
      <p class="hint">
        {words.created} <Moment at={apiKey.createdAt} now={now} />
        {' · '}
        {apiKey.lastUsedAt === null ? (
          words.neverUsed
        ) : (
          <>
            {words.lastUsed} <Moment at={apiKey.lastUsedAt} now={now} />
          </>
        )}
        {' · '}
        <End apiKey={apiKey} now={now} />
      </p>
      {usable && (
        <details class="quiet-fold">
          <summary aria-label={words.revokeOf(name)}>{words.revoke}</summary>
          <p class="hint">{words.revokeLine}</p>
          <form class="after-list" method="post" action={`${address}/${apiKey.id}/revoke`}>
            <FormHead frame={frame} />
            <button class="button button-danger" type="submit">
              {words.revokeButton(name)}
            </button>
          </form>
        </details>
      )}
    </li>
  );
}

function End({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt !== null) {
    return (
      <>
        {words.revokedAt} <Moment at={revokedAt} now={now} />
      </>
    );
  }
  if (expiresAt === null) return <>{words.forGood}</>;
  return (
    <>
      {expiresAt > now ? words.expiresAt : words.expiredAt} <LastDay before={expiresAt} />
    </>
  );
}
