import { describe, expect, it } from 'vitest';
import {
  createInstallTokens,
  type InstallTokenContext,
  installTokenLifetimeMs,
  newInstallVisit,
} from '../../src/distributions/install/install-token.ts';

const page = { id: 'p1', accessKey: 'a'.repeat(40), access: 'passcode', passcodeHash: 'h1' } as const;
const context: InstallTokenContext = {
  purpose: 'file',
  page,
  app: { secret: 'c'.repeat(40) },
  buildId: 'b1',
};
const tokens = createInstallTokens('a secret of the server that is long enough');
const now = Date.UTC(2026, 10, 21);

describe('an install token', () => {
  const visit = newInstallVisit(now);
  const token = tokens.issue(visit, context);
  const kindOf = (given: unknown, changes: Partial<InstallTokenContext> = {}) =>
    tokens.check(given, now, { ...context, ...changes }).kind;

  it('is valid for its purpose, page and build, within its time', () => {
    expect(tokens.check(token, now, context)).toEqual({ kind: 'valid', payload: visit });
    expect(tokens.check(token, now + installTokenLifetimeMs - 1, context).kind).toBe('valid');
  });

  it('is expired from the moment it states', () => {
    expect(tokens.check(token, now + installTokenLifetimeMs, context)).toEqual({ kind: 'expired' });
  });

  it.each([
    ['another purpose', () => kindOf(token, { purpose: 'manifest' })],
    ['another build', () => kindOf(token, { buildId: 'b2' })],
    ['another page', () => kindOf(token, { page: { ...page, id: 'p2' } })],
    ['another address of the page', () => kindOf(token, { page: { ...page, accessKey: 'b'.repeat(40) } })],
    ['a changed passcode', () => kindOf(token, { page: { ...page, passcodeHash: 'h2' } })],
    ['another kind of access', () => kindOf(token, { page: { ...page, access: 'members' } })],
    ['another server', () => createInstallTokens('another secret').check(token, now, context).kind],
    ['a later expiry', () => kindOf(token.replace(/^[^.]+/, (time) => `${time}0`))],
    ['another number', () => kindOf(token.replace(/\.[^.]{16}\./, `.${'A'.repeat(16)}.`))],
  ])('is invalid for %s', (_name, kind) => {
    expect(kind()).toBe('invalid');
  });

  it('is invalidated by a rotation of the secret of the app, for members only', () => {
    const app = { secret: 'd'.repeat(40) };
    expect(kindOf(token, { app })).toBe('valid');
    const members = { page: { ...page, access: 'members' as const } };
    const ofMember = tokens.issue(visit, { ...context, ...members });
    expect(kindOf(ofMember, members)).toBe('valid');
    expect(kindOf(ofMember, { ...members, app })).toBe('invalid');
  });

  it.each([undefined, null, '', 'x', [token, token], `${token}x`, ` ${token}`, 'é'.repeat(70)])(
    'is invalid as %j',
    (given) => {
      expect(kindOf(given)).toBe('invalid');
    },
  );

  it('has a unique number for each visit', () => {
    expect(newInstallVisit(now).number).not.toBe(newInstallVisit(now).number);
  });
});
