/** Removes what has been kept long enough, once a day: entries of the audit log, addresses, and names of deleted accounts. */
import type { AuditConfig } from '../audit/audit-config.ts';
import { type AuditChain, sealAll, sealedAtOnce } from '../audit/seal-entries.ts';
import type { Data } from '../db/data.ts';
import { installation, type JobHandlers } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { signInActions } from '../owners/audit.ts';
import { erasePerson } from './erase-person.ts';
import { personalDataQueries } from './personal-data-queries.ts';

interface RoundDeps {
  data: Data;
  chain: AuditChain;
  config: { audit: AuditConfig };
  now: () => number;
}

const dayMs = 24 * 60 * 60_000;
const peopleAtOnce = 20;

export function createPrivacyRounds({ data, chain, config, now }: RoundDeps): {
  /** Adds the round of the day, once for each node and day: a server may have been off when the day began. */
  plan(): Promise<void>;
  handlers: Pick<JobHandlers, 'privacy-round'>;
} {
  const { audit } = config;
  let plannedDay = '';
  const removeEntries = async (actions: readonly string[] | null, days: number) => {
    const before = Math.max(now() - days * dayMs, 0);
    const step = () => data.transaction((tx) => chain.removeSome(tx, { actions, before }));
    while ((await step()) === sealedAtOnce);
  };
  return {
    plan: async () => {
      const day = new Date(now()).toISOString().slice(0, 10);
      if (day === plannedDay) return;
      await outboxQueries(data).addOnce(
        `privacy-${day}`,
        installation,
        { kind: 'privacy-round' },
        now(),
        now(),
      );
      plannedDay = day;
    },
    handlers: {
      'privacy-round': async () => {
        const queries = personalDataQueries(data);
        await queries.clearAddresses(now() - audit.addressDays * dayMs);
        await sealAll(data, chain);
        await removeEntries(signInActions, audit.signInDays);
        if (audit.days !== null) await removeEntries(null, audit.days);
        if (audit.eraseDays === null) return;
        for (const person of await queries.listToErase(now() - audit.eraseDays * dayMs, peopleAtOnce))
          await erasePerson(data, chain, person, { actor: 'system', at: now() });
      },
    },
  };
}
