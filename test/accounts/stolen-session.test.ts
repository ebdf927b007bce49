/**
 * Regression tests for a stolen administrator session, which must not gain more without password and second factor: it
 * once created another administrator, who reset the victim's factors, and created a password reset link for itself.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { describeTables } from '../../src/db/describe-tables.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { setUpApp } from '../support/second-factors.ts';
import { testPassword } from '../support/test-service.ts';

const tenMinutesMs = 10 * 60_000;
const path = (name: string, action: string) => `/administration/people/${name}/${action}`;
/** Actions that give access to an account or raise its rights, with their target and the notification. */
const grants = [
  { name: 'mallory', action: 'administrator/grant', told: 'You are now an administrator' },
  { name: 'mina', action: 'administrator/remove', told: 'You are no longer an administrator' },
  { name: 'vera', action: 'reset-link/create', told: 'A password reset link was created' },
  { name: 'vera', action: 'reset-link/send', told: 'Reset your Slipway password' },
  { name: 'vera', action: 'factors/reset', told: 'Your second factors were removed' },
  { name: 'ghost', action: 'enable', told: 'Your account was enabled' },
];
/** Actions that administrators can't perform on their own account, not even with a proof. */
const toThemself = ['reset-link/create', 'reset-link/send', 'factors/reset'];

describe('a stolen session of an administrator', () => {
  let slipway: AccountsService;
  let database: Database;
  let stolen: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mallory', 'mina', 'vera']);
    const { data, clock } = slipway;
    const idOf = async (name: string) => (await data.owners.findOwner(name))?.id ?? '';
    await data.administration.setAdministrator(await idOf('mina'), true);
    await addPerson(slipway, 'ghost');
    await data.accountState.setDisabled(await idOf('ghost'), clock.now);
    stolen = await slipway.browser('admin');
    await setUpApp(slipway, stolen);
    await setUpApp(slipway, await slipway.browser('vera'));
    database = await openDatabase(slipway.config.database);
  });
  beforeEach(async () => {
    // Longer than a proof and a pause for wrong ones are valid.
    slipway.clock.now += 15 * 60_000;
    await settleOutbox(slipway);
  });
  afterAll(async () => {
    await database?.close();
    await slipway?.close();
  });

  const post = async (name: string, action: string, fields: Record<string, string> = {}, by = stolen) =>
    by.post(path(name, action), { csrf: await by.csrf(), ...fields });

  /** Every row except "last seen" times and attempt counts. */
  const rows = async () => {
    const tables = (await describeTables(database)).filter(({ name }) => !/^(sessions|attempts)/.test(name));
    const found: Record<string, string[]> = {};
    for (const { name } of tables) {
      const all = await sql<object>`select * from ${sql.table(name)}`.execute(database.queries);
      const known = all.rows.map((row) => ({ ...row, last_seen_at: null }));
      found[name] = known.map((row) => JSON.stringify(row)).toSorted();
    }
    return found;
  };
  /** Checks that a request does not change anything that requires a proof. */
  const changesNothing = async (request: () => Promise<void>) => {
    const before = await rows();
    const sent = slipway.mailer.sent.length;
    await request();
    await settleOutbox(slipway);
    expect(await rows()).toEqual(before);
    expect(slipway.mailer.sent).toHaveLength(sent);
  };

  it('is refused with a proof that is wrong, empty, of another person, or in the wrong place', async () => {
    const variations: ((name: string, action: string) => Promise<{ status: number; text: string }>)[] = [
      (name, action) => post(name, action, { proof: '' }),
      (name, action) => post(name, action, { proof: 'a guess' }),
      (name, action) => post(name, `${action}?proof=${encodeURIComponent(testPassword)}`),
      (name, action) => post(name, action, { password: testPassword }),
      (name, action) => post(name, action, { act: 'make-administrator', proof: '000000' }),
    ];
    for (const [at, vary] of variations.entries()) {
      await changesNothing(async () => {
        for (const { name, action } of [grants[0], grants[2], grants[4]].flatMap((one) => one ?? [])) {
          const refused = await vary(name, action);
          expect([at, name, action, refused.status]).toEqual([at, name, action, 403]);
          expect(refused.text).toContain('name="proof"');
        }
      });
      slipway.clock.now += 15 * 60_000;
    }
  });

  it("can't create a reset link for its own user or reset their factors, even with a proof", async () => {
    for (const action of toThemself) {
      await changesNothing(async () => {
        const refused = await post('admin', action, { proof: testPassword });
        expect([action, refused.status]).toEqual([action, 409]);
        const sentence = action.startsWith('factors')
          ? 'reset your own second factors'
          : 'reset link for yourself';
        expect(refused.text).toContain(sentence);
        expect(refused.text).not.toContain('/reset-password/');
      });
    }
  });

  it('can perform each action with the proof, and the person is emailed', async () => {
    for (const { name, action, told } of grants) {
      slipway.clock.now += tenMinutesMs;
      const before = slipway.mailer.sent.length;
      const done = await post(name, action, { proof: testPassword });
      expect([action, done.status]).toEqual([action, action === 'reset-link/create' ? 200 : 303]);
      await settleOutbox(slipway);
      const sent = slipway.mailer.sent.slice(before);
      expect(sent.map(({ to }) => to.address)).toEqual([`${name}@example.com`]);
      expect(sent[0]?.subject).toContain(told);
    }
  });
});
