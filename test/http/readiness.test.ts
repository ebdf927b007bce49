import { describe, expect, it } from 'vitest';
import { createReadiness, writeCheckTtlMs } from '../../src/http/readiness.ts';

const start = Date.UTC(2026, 10, 21);

function createSubject() {
  const subject = {
    now: start,
    pings: 0,
    proofs: 0,
    fault: null as Error | null,
    waiting: null as Promise<void> | null,
  };
  const ready = createReadiness({
    ping: async () => {
      subject.pings += 1;
    },
    checkWritable: async () => {
      subject.proofs += 1;
      await subject.waiting;
      if (subject.fault) throw subject.fault;
    },
    now: () => subject.now,
    waitTimeoutMs: 50,
  });
  return { subject, ready };
}

describe('readiness', () => {
  it('checks the stores each time, and tests writing at most every ten seconds', async () => {
    const { subject, ready } = createSubject();
    for (let count = 0; count < 5; count += 1) await ready();
    expect(subject).toMatchObject({ pings: 5, proofs: 1 });
    subject.now += writeCheckTtlMs - 1;
    await ready();
    expect(subject.proofs).toBe(1);
    subject.now += 1;
    await ready();
    expect(subject.proofs).toBe(2);
  });

  it('caches a failure for the same time, and is ready once writing works again', async () => {
    const { subject, ready } = createSubject();
    subject.fault = new Error('the disk is read-only');
    await expect(ready()).rejects.toThrow('the disk is read-only');
    subject.fault = null;
    await expect(ready()).rejects.toThrow('the disk is read-only');
    subject.now += writeCheckTtlMs;
    await ready();
    expect(subject.proofs).toBe(2);
  });

  it('tests writing again when the clock was set back', async () => {
    const { subject, ready } = createSubject();
    await ready();
    subject.now -= 86_400_000;
    await ready();
    expect(subject.proofs).toBe(2);
  });

  it('shares one test among concurrent requests, and lets none wait longer than its timeout', async () => {
    const { subject, ready } = createSubject();
    subject.waiting = new Promise(() => undefined);
    const answers = await Promise.allSettled([ready(), ready(), ready()]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(ready()).rejects.toThrow('no answer within 0.05 s');
    expect(subject).toMatchObject({ pings: 2, proofs: 2 });
  });

  it('gives up a test that never ends, and is ready as soon as another succeeds', async () => {
    const { subject, ready } = createSubject();
    const hung = Promise.withResolvers<void>();
    subject.waiting = hung.promise;
    await expect(ready()).rejects.toThrow('no answer within 0.05 s');
    subject.waiting = null;
    await ready();
    subject.fault = new Error('the connection was lost');
    hung.resolve();
    await hung.promise;
    await ready();
    expect(subject.proofs).toBe(2);
  });
});
