import { describe, expect, it } from 'vitest';
import { parseNetwork } from '../../src/core/networks.ts';
import { decideOpening, decideVisit, type Visit } from '../../src/distributions/access/page-rules.ts';
import { initialPageSettings, type PageRules } from '../../src/distributions/distribution-page.ts';

const rules = (changes: Partial<PageRules> = {}): PageRules => ({
  ...initialPageSettings,
  passcodeHash: null,
  ...changes,
});
const visit = (changes: Partial<Visit> = {}): Visit => ({
  now: 1000,
  address: '192.0.2.7',
  member: false,
  inGroup: false,
  signedIn: false,
  knowsPasscode: false,
  ...changes,
});

describe('a distribution page admits', () => {
  const cases: [string, Partial<PageRules>, Partial<Visit>, object][] = [
    ['anybody, when it is unlisted', {}, {}, { kind: 'admitted' }],
    ['nobody, when it is off', { active: false }, { member: true }, { kind: 'closed', reason: 'inactive' }],
    ['nobody after its expiry', { expiresAt: 1000 }, {}, { kind: 'closed', reason: 'expired' }],
    ['anyone before its expiry', { expiresAt: 1001 }, {}, { kind: 'admitted' }],
    ['nobody without the passcode', { access: 'passcode' }, {}, { kind: 'passcode' }],
    ['visitors who know the passcode', { access: 'passcode' }, { knowsPasscode: true }, { kind: 'admitted' }],
    ['a member without the passcode', { access: 'passcode' }, { member: true }, { kind: 'admitted' }],
    ['no anonymous visitor to a members-only page', { access: 'members' }, {}, { kind: 'sign-in' }],
    [
      'nobody by passcode to a members-only page',
      { access: 'members' },
      { knowsPasscode: true },
      { kind: 'sign-in' },
    ],
    ['no stranger', { access: 'members' }, { signedIn: true }, { kind: 'no-access' }],
    ['a member', { access: 'members' }, { signedIn: true, member: true }, { kind: 'admitted' }],
    ['no anonymous visitor to a page for groups', { access: 'groups' }, {}, { kind: 'sign-in' }],
    [
      'no member outside its groups',
      { access: 'groups' },
      { signedIn: true, member: true },
      { kind: 'no-access' },
    ],
    [
      'a member in one of its groups',
      { access: 'groups' },
      { signedIn: true, member: true, inGroup: true },
      { kind: 'admitted' },
    ],
    [
      'nobody who is in a group but lost access to the app',
      { access: 'groups' },
      { signedIn: true, inGroup: true },
      { kind: 'no-access' },
    ],
    [
      'nobody from another network, whatever they know',
      { access: 'passcode', networks: ['10.0.0.0/8'] },
      { knowsPasscode: true, member: true },
      { kind: 'wrong-network' },
    ],
    [
      'nobody after its expiry, without asking for a passcode',
      { access: 'passcode', expiresAt: 1 },
      {},
      { kind: 'closed', reason: 'expired' },
    ],
  ];
  it.each(cases)('%s', (_name, changes, who, expected) => {
    expect(decideVisit(rules(changes), visit(who))).toEqual(expected);
  });
});

describe('allowed networks', () => {
  const lets = (networks: string[], address: string) =>
    decideOpening(rules({ networks }), { now: 1, address }) === null;
  it.each([
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['10.0.0.0/8', '192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '::ffff:a01:203', true],
    [['2001:db8::/32'], '2001:db8:1::5', true],
    [['2001:db8::/32'], '2001:db9::5', false],
    [['fe80::/10'], 'fe80::1%eth0', true],
    [['0.0.0.0/0'], '203.0.113.9', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['10.0.0.0/8'], 'unknown', false],
    [['10.0.0.0/8'], '', false],
  ])('%j and %s: %s', (networks, address, expected) => {
    expect(lets(networks, address)).toBe(expected);
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0',
    'example.com',
    '::/129',
    'fe80::1%eth0',
    '10.0.0.0/',
  ])('reject the value %j', (text) => expect(parseNetwork(text)).toBeNull());

  it('never admit visitors by an invalid network', () => {
    expect(lets(['what'], '10.0.0.1')).toBe(false);
  });
});
