/** Who receives the rest of a download that has begun. */
import { describe, expect, it } from 'vitest';
import { reauthorizeFile, type StoredFileAccessDeps } from '../../src/apps/files/stored-file-access-http.ts';

const actor = { kind: 'user', user: { id: 'u' } };
type Held = Parameters<ReturnType<typeof reauthorizeFile>>[0];

/** `known` and `sees` change between the checks. */
function hold(begun: { actor: object | null; person: object | null }) {
  const now = { known: true, sees: true };
  const check = reauthorizeFile({
    identify: { caller: async () => (now.known ? { actor } : null) },
    viewAccess: { app: async () => now.sees },
  } as unknown as StoredFileAccessDeps);
  const held = { caller: { sessionToken: null, file: null, ...begun }, subject: {} } as unknown as Held;
  const goesOn = () =>
    check(held, {} as Parameters<typeof check>[1]).then(
      () => true,
      () => false,
    );
  return { now, goesOn };
}

describe('a download that has begun', () => {
  it('with a session ends with the session, and with access to the app', async () => {
    const first = hold({ actor, person: { actor } });
    expect(await first.goesOn()).toBe(true);
    first.now.known = false;
    expect(await first.goesOn()).toBe(false);
    const second = hold({ actor, person: { actor } });
    second.now.sees = false;
    expect(await second.goesOn()).toBe(false);
  });

  it('with a link and a session ends in the same way, unless the person never had access without the link', async () => {
    const member = hold({ actor: null, person: { actor } });
    expect(await member.goesOn()).toBe(true);
    member.now.sees = false;
    expect(await member.goesOn()).toBe(false);
    const guest = hold({ actor: null, person: { actor } });
    guest.now.sees = false;
    expect([await guest.goesOn(), await guest.goesOn()]).toEqual([true, true]);
    guest.now.known = false;
    expect(await guest.goesOn()).toBe(false);
  });

  it('with a link alone goes on', async () => {
    const anyone = hold({ actor: null, person: null });
    Object.assign(anyone.now, { known: false, sees: false });
    expect(await anyone.goesOn()).toBe(true);
  });
});
