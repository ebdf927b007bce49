import { describe, expect, it } from 'vitest';
import { createTicketSigner, newTicket, ticketLifetimeMs } from '../../src/pages/install/install-ticket.ts';

const page = {
  id: 'p1',
  accessKey: 'a'.repeat(40),
  access: 'passcode',
  passcodeHash: 'h1',
  appSecret: 'c'.repeat(40),
} as const;
const signer = createTicketSigner('a secret of the server that is long enough');
const now = Date.UTC(2026, 10, 21);

describe('install ticket', () => {
  const ticket = newTicket(now);
  const text = signer.sign('file', page, 'b1', ticket);

  it('is valid for its purpose, page and build until it expires', () => {
    expect(signer.check('file', page, 'b1', text, now)).toEqual({ kind: 'valid', ticket });
    expect(signer.check('file', page, 'b1', text, now + ticketLifetimeMs - 1).kind).toBe('valid');
  });

  it('is expired from its expiry time on', () => {
    expect(signer.check('file', page, 'b1', text, now + ticketLifetimeMs)).toEqual({ kind: 'late' });
  });

  it.each([
    ['another purpose', () => signer.check('manifest', page, 'b1', text, now)],
    ['another build', () => signer.check('file', page, 'b2', text, now)],
    ['another page', () => signer.check('file', { ...page, id: 'p2' }, 'b1', text, now)],
    [
      'another address of the page',
      () => signer.check('file', { ...page, accessKey: 'b'.repeat(40) }, 'b1', text, now),
    ],
    ['a changed passcode', () => signer.check('file', { ...page, passcodeHash: 'h2' }, 'b1', text, now)],
    ['another kind of access', () => signer.check('file', { ...page, access: 'members' }, 'b1', text, now)],
    ['another server', () => createTicketSigner('another secret').check('file', page, 'b1', text, now)],
    [
      'a later expiry',
      () =>
        signer.check(
          'file',
          page,
          'b1',
          text.replace(/^[^.]+/, (t) => `${t}0`),
          now,
        ),
    ],
    [
      'another number',
      () => signer.check('file', page, 'b1', text.replace(/\.[^.]{16}\./, `.${'A'.repeat(16)}.`), now),
    ],
  ])('is invalid for %s', (_name, check) => {
    expect(check()).toEqual({ kind: 'wrong' });
  });

  it('is invalid after a rotation of the app secret on members-only pages', () => {
    const rotated = { ...page, appSecret: 'd'.repeat(40) };
    expect(signer.check('file', rotated, 'b1', text, now).kind).toBe('valid');
    const members = { ...page, access: 'members' } as const;
    const ofMember = signer.sign('file', members, 'b1', ticket);
    expect(signer.check('file', members, 'b1', ofMember, now).kind).toBe('valid');
    expect(signer.check('file', { ...rotated, access: 'members' }, 'b1', ofMember, now).kind).toBe('wrong');
  });

  it.each([undefined, null, '', 'x', [text, text], `${text}x`, ` ${text}`, 'é'.repeat(70)])(
    'is invalid as %j',
    (given) => {
      expect(signer.check('file', page, 'b1', given, now)).toEqual({ kind: 'wrong' });
    },
  );

  it('has a unique number for each visit', () => {
    expect(newTicket(now).number).not.toBe(newTicket(now).number);
  });
});
