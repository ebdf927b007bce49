import { describe, expect, it } from 'vitest';
import { identityOf, maxSubjectLength } from '../../src/accounts/single-sign-on/provider-identity.ts';
import { suggestUserName, userNameForAttempt } from '../../src/accounts/single-sign-on/single-sign-on.ts';
import { checkName } from '../../src/owners/owner.ts';

describe('generated user names', () => {
  it.each([
    [['ada'], 'ada'],
    [['Ada.Lovelace@example.com', 'ada'], 'Ada-Lovelace'],
    [['Žofie Müller'], 'Zofie-Muller'],
    [['--ada--'], 'ada'],
    [['_x_'], 'x_'],
    [['李', '@', 'li'], 'li'],
    [['admin', 'x'], 'admin'],
    [['settings'], 'settings-1'],
    [['David O’Hara'], 'David-O-Hara'],
    [[], 'user-1'],
    [['x'.repeat(300)], 'x'.repeat(56)],
  ])('turn %j into %s', (candidateNames, name) => expect(suggestUserName(candidateNames)).toBe(name));

  it('are always valid, regardless of the attempt', () => {
    for (const wish of ['x'.repeat(300), 'ada', 'user', '-', `${'x'.repeat(55)}-y`]) {
      for (let attempt = 0; attempt < 9; attempt++) {
        const name = userNameForAttempt(suggestUserName([wish]), attempt, 'beef');
        expect(checkName('user', name)).toBe(name);
      }
    }
    expect([0, 1, 4, 5].map((attempt) => userNameForAttempt('ada', attempt, 'beef'))).toEqual([
      ...['ada', 'ada-2', 'ada-5', 'ada-beef'],
    ]);
  });
});

describe('an identity from the provider', () => {
  const claims = { iss: 'https://login.example.com', sub: 's1' };

  it('contains the claims of the provider that are valid', () => {
    const full = { ...claims, email: 'a@x', email_verified: true, preferred_username: 'ada', name: 'Ada L' };
    expect(identityOf(full)).toEqual({
      issuer: claims.iss,
      subject: 's1',
      email: 'a@x',
      emailConfirmed: true,
      label: 'a@x',
      names: ['ada', 'a@x', 'Ada L'],
    });
    expect(identityOf(claims)).toMatchObject({ email: null, emailConfirmed: false, label: 's1', names: [] });
    expect(identityOf({ ...claims, preferred_username: 'ada' })?.label).toBe('ada');
  });

  it.each([[undefined], [false], ['false'], ['yes'], [1], [null]])(
    'has no confirmed address when email_verified is %j',
    (verified) => {
      const identity = identityOf({ ...claims, email: 'a@x', email_verified: verified });
      expect(identity).toMatchObject({ email: 'a@x', emailConfirmed: false });
    },
  );

  it('has no address if the claim is not a single-line email address', () => {
    for (const email of ['ada', 'a@x, b@y', 'a@x\0', 7, ['a@x']]) {
      expect(identityOf({ ...claims, email, email_verified: true })).toMatchObject({
        email: null,
        emailConfirmed: false,
      });
    }
    expect(identityOf({ ...claims, name: 'Ada\nL', nickname: 'a\u0085' })?.names).toEqual([]);
  });

  it('is refused without an issuer and a subject of valid length', () => {
    expect(identityOf({ ...claims, sub: 's'.repeat(maxSubjectLength) })).not.toBeNull();
    for (const sub of [undefined, '', 7, 's'.repeat(maxSubjectLength + 1), 's\n']) {
      expect(identityOf({ ...claims, sub })).toBeNull();
    }
    expect(identityOf({ sub: 's1' })).toBeNull();
  });
});
