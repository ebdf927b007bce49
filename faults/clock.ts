/**
 * A clock that jumps a day forward and back during uploads, mail and leases. Runs in this process, where the clock
 * can be replaced.
 */
import pino from 'pino';
import { createMemoryMailer } from '../src/mail/memory-mailer.ts';
import { buildIpa } from '../test/support/build-ipa.ts';
import { upload } from './client.ts';
import { createGround, loadService } from './ground.ts';
import { openLedger } from './ledger.ts';
import { type Outcome, outcomeOf, type Scenario, type ScenarioRun, until } from './scenario.ts';
import { checkNow, servingErrors, settleAndCheck } from './settle.ts';

const dayMs = 24 * 60 * 60_000;
const jumps = [0, dayMs, -dayMs, 6 * 60_000, -6 * 60_000, dayMs / 2];
const uploadersAtOnce = 3;

export const clock: Scenario = {
  name: 'clock',
  about: 'a clock that jumps up to a day forward and back during uploads, mail and leases',
  stores: ['sqlite+disk', 'postgres+disk'],
  run: jump,
};

async function jump(run: ScenarioRun): Promise<Outcome> {
  const { random } = run;
  const settings = {
    SLIPWAY_ADMIN_EMAIL: 'admin@example.com',
    SLIPWAY_SMTP_URL: 'smtp://mail.example.com',
    SLIPWAY_MAIL_FROM: 'builds@apps.example.com',
    SLIPWAY_URL: 'https://apps.example.com',
  };
  const ground = { ...(await createGround(run.servers, run.stores, settings)), clockJumps: true };
  const ledger = openLedger();
  const mailer = createMemoryMailer();
  const faults: string[] = [];
  let offsetMs = 0;
  const times = Math.max(10, run.rounds);
  try {
    const { createService } = await loadService();
    const service = await createService(ground.config(), {
      logger: pino({ level: 'silent' }),
      mailer,
      now: () => Date.now() + offsetMs,
    });
    const origin = `http://127.0.0.1:${(await service.listen()).port}`;
    let stopped = false;
    let number = 0;
    const uploaders = Array.from({ length: uploadersAtOnce }, async (_, index) => {
      while (!stopped) {
        number += 1;
        const packageName = `com.example.app${index % 2}`;
        const bytes = buildIpa({ bundleIdentifier: packageName, version: `${number}` });
        const fields = { message: `build number ${number} of the clock`, distribution_name: 'main' };
        await upload(origin, ledger, { packageName, bytes, fields });
      }
    });
    for (let time = 0; time < times; time++) {
      const before = ledger.counts.acknowledged;
      offsetMs = random.pick(jumps);
      await until(
        'an upload was accepted',
        () => ledger.counts.acknowledged > before || ledger.wrongAnswers.length > 0,
      );
      await new Promise((resolve) => setTimeout(resolve, random.below(30)));
    }
    stopped = true;
    await Promise.all(uploaders);
    // Jobs that were postponed by a clock ahead become due once that time is reached.
    offsetMs = dayMs + 60_000;
    service.outbox.wake();
    await service.outbox.idle();
    offsetMs = 0;
    faults.push(...(await servingErrors(origin, ledger)));
    await service.close();
    const compared = new Set<string>();
    const checks = [await checkNow(ground, ledger, compared), await settleAndCheck(ground, ledger, compared)];
    const sent = mailer.sent.map(({ to, text }) => `${to.address} ${/build number \d+/.exec(text)?.[0]}`);
    for (const one of new Set(sent)) {
      if (sent.filter((other) => other === one).length > 1) faults.push(`${one} was sent more than once`);
    }
    const counts = { jumps: times, mailed: sent.length };
    const outcome = outcomeOf(ledger, checks, counts);
    return { ...outcome, faults: [...faults, ...outcome.faults] };
  } finally {
    await ground.remove();
  }
}
