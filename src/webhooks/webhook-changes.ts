/** The deeds of whoever looks after hooks: each one transaction, with its line in the audit log. */

import type { App } from '../apps/app.ts';
import type { Seal } from '../core/encrypted-text.ts';
import { conflict, FormRefused, NotFound } from '../core/errors.ts';
import { newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner, User } from '../owners/owner.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { testFacts } from './payload/event-facts.ts';
import { newHookSecret } from './payload/webhook-signature.ts';
import { type DeliverHook, judge, openSecrets, sealSecrets } from './send-webhook.ts';
import { type Hook, maxHooksOfPlace, newDeliveryId } from './webhook.ts';
import { shortAddress } from './webhook-address.ts';
import { readHookForm, type TypedHook, targetSentence } from './webhook-form.ts';
import type { HookDraft } from './webhook-queries.ts';
import { hookQueries } from './webhook-queries.ts';
import type { FindTarget } from './webhook-target.ts';
import { hookTexts } from './webhook-texts.ts';

/** An App, or an Owner with all its Apps when `app` is null. */
export interface HookHome {
  owner: Pick<Owner, 'id' | 'kind' | 'name'>;
  app: App | null;
}

export interface HookChanges {
  /** `secret` is shown only once. Throws `FormRefused`, and `conflict` when the place is full. */
  make(by: User, home: HookHome, typed: TypedHook): Promise<{ hook: Hook; secret: string }>;
  /** `secret`: a new one, shown only once; null when the hook keeps the one it has. Throws `FormRefused`. */
  save(
    by: User,
    home: HookHome,
    hook: Hook,
    typed: TypedHook,
  ): Promise<{ hook: Hook; secret: string | null }>;
  pause(by: User, home: HookHome, hook: Hook): Promise<void>;
  /** Also after the receiver has answered 410. */
  resume(by: User, home: HookHome, hook: Hook): Promise<void>;
  /** Answers the new secret. Throws `conflict` for a hook whose address cannot be read any more. */
  renewSecret(by: User, home: HookHome, hook: Hook): Promise<string>;
  remove(by: User, home: HookHome, hook: Hook): Promise<void>;
  /** Sends a message at once; what came of it becomes the newest delivery. */
  test(home: HookHome, hook: Hook): Promise<void>;
  /** False when the delivery waits anyway, or is gone. */
  sendAgain(hook: Hook, deliveryId: string): Promise<boolean>;
}

export interface HookChangeParts {
  data: Data;
  seal: Seal;
  findTarget: FindTarget;
  deliver: DeliverHook;
  now: () => number;
  wakeOutbox: () => void;
}

export const placeOf = ({ owner, app }: HookHome) => ({ ownerId: owner.id, appId: app?.id ?? null });

export function createHookChanges(parts: HookChangeParts): HookChanges {
  const { data, seal, now } = parts;
  return {
    make: (by, home, typed) => make(parts, by, home, typed),
    save: (by, home, hook, typed) => save(parts, by, home, hook, typed),
    renewSecret: async (by, home, hook) => {
      const secret = newHookSecret();
      await inHook(data, home, hook, async (inside, present) => {
        const known = openSecrets(seal, present);
        if (!known) throw conflict(hookTexts.unreadableLine);
        const draft = { ...present, ...sealSecrets(seal, hook.id, { ...known, secret }) };
        await hookQueries(inside).saveHook(draft);
        await auditQueries(inside).record(entryOf(by, home, draft, 'hook.secret-changed', now()));
      });
      return secret;
    },
    pause: (by, home, hook) => setState(parts, by, home, hook, 'off'),
    resume: (by, home, hook) => setState(parts, by, home, hook, 'on'),
    remove: async (by, home, hook) => {
      await data.transaction(async (inside) => {
        if (!(await hookQueries(inside).deleteHook(hook.id))) throw missing();
        await auditQueries(inside).record(entryOf(by, home, hook, 'hook.deleted', now()));
      });
    },
    test: async (home, hook) => {
      const begun = now();
      const [id, facts] = [newDeliveryId(begun), testFacts(home.app, begun)];
      const outcome = await parts.deliver(hook, { id, facts });
      const result = judge(outcome, Number.MAX_SAFE_INTEGER, now());
      const delivery = { id, hookId: hook.id, event: facts.event, facts: JSON.stringify(facts), attempts: 1 };
      await data.transaction(async (inside) => {
        if (result.status === 410) await hookQueries(inside).setState(hook.id, 'gone');
        await hookQueries(inside).insertDeliveries([{ ...delivery, ...result }], newIdentifier(begun), begun);
        await hookQueries(inside).forgetDeliveries(hook.id);
      });
    },
    sendAgain: async (hook, deliveryId) => {
      const at = now();
      const revived = await data.transaction(async (inside) => {
        if (!(await hookQueries(inside).revive(hook.id, deliveryId, at))) return false;
        await outboxQueries(inside).add({ kind: 'send-hook', deliveryId }, at);
        return true;
      });
      if (revived) parts.wakeOutbox();
      return revived;
    },
  };
}

const missing = () => new NotFound('the hook is not there any more');

async function make(parts: HookChangeParts, by: User, home: HookHome, typed: TypedHook) {
  const { data, seal } = parts;
  const { url, ...read } = readHookForm(typed, false);
  if (!url) throw new FormRefused({ address: [] });
  await checkTarget(parts, url);
  const now = parts.now();
  const [id, secret] = [newIdentifier(now), newHookSecret()];
  const draft: HookDraft = {
    ...{ id, ...placeOf(home), ...read, state: 'on' as const, shownAddress: shortAddress(url) },
    ...sealSecrets(seal, id, { address: url.href, secret }),
  };
  await data.transaction(async (inside) => {
    // Whoever adds another one to the same Owner waits, so that there are never too many.
    if (!(await quotaQueries(inside).hold(home.owner.id))) throw missing();
    if ((await hookQueries(inside).countHooks(placeOf(home))) >= maxHooksOfPlace) {
      throw conflict(hookTexts.full(maxHooksOfPlace));
    }
    await hookQueries(inside).insertHook(draft, now);
    await auditQueries(inside).record(entryOf(by, home, draft, 'hook.made', now));
  });
  return { hook: { ...draft, createdAt: now }, secret };
}

async function save(parts: HookChangeParts, by: User, home: HookHome, hook: Hook, typed: TypedHook) {
  const { data, seal } = parts;
  const { url, ...read } = readHookForm(typed, openSecrets(seal, hook) !== null);
  if (url) await checkTarget(parts, url);
  return inHook(data, home, hook, async (inside, present) => {
    const known = openSecrets(seal, present);
    const secret = known?.secret ?? newHookSecret();
    const address = url
      ? { ...sealSecrets(seal, hook.id, { address: url.href, secret }), shownAddress: shortAddress(url) }
      : {};
    // The receiver that asked for no more is no longer the receiver.
    const state = url && present.state === 'gone' ? 'on' : present.state;
    const saved: Hook = { ...present, ...read, ...address, state };
    await hookQueries(inside).saveHook(saved);
    await auditQueries(inside).record(entryOf(by, home, saved, 'hook.changed', parts.now()));
    return { hook: saved, secret: known ? null : secret };
  });
}

/** With the Owner's row held and the hook read again, so that changes of two people follow one another. */
function inHook<T>(
  data: Data,
  home: HookHome,
  hook: Hook,
  work: (inside: Connection, present: Hook) => Promise<T>,
): Promise<T> {
  return data.transaction(async (inside) => {
    await quotaQueries(inside).hold(home.owner.id);
    const present = await hookQueries(inside).findHook(placeOf(home), hook.id);
    if (!present) throw missing();
    return work(inside, present);
  });
}

async function setState(
  { data, now }: HookChangeParts,
  by: User,
  home: HookHome,
  hook: Hook,
  state: 'on' | 'off',
): Promise<void> {
  await inHook(data, home, hook, async (inside, present) => {
    if (present.state === state) return;
    await hookQueries(inside).setState(hook.id, state);
    const action = state === 'on' ? 'hook.resumed' : 'hook.paused';
    await auditQueries(inside).record(entryOf(by, home, { ...present, state }, action, now()));
  });
}

async function checkTarget({ findTarget }: HookChangeParts, url: URL): Promise<void> {
  const target = await findTarget(url.href);
  if (typeof target === 'string') throw new FormRefused({ address: [targetSentence(target)] });
}

/** The log is read by more people than the address is for: the host is all that it says of it. */
function entryOf(by: User, { owner, app }: HookHome, hook: HookDraft, action: string, at: number) {
  const { host } = new URL(hook.shownAddress);
  return {
    ...{ at, action, actor: { kind: 'user', user: by } as const, ownerId: owner.id },
    subject: `${host} for ${app ? `${app.packageName} (${app.platform})` : owner.name}`,
    details: { hook: hook.id, kind: hook.kind, state: hook.state, hears: hook.hears },
  };
}
