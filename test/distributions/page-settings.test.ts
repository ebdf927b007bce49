/** Validation of page settings: accepted, or rejected with all errors. */
import { describe, expect, it } from 'vitest';
import { type DistributionPage, initialPageSettings } from '../../src/distributions/distribution-page.ts';
import {
  describeChanges,
  maxReleaseNoteBytes,
  noteDigest,
  readName,
  readSettings,
} from '../../src/distributions/settings/page-settings.ts';
import {
  accessChanges,
  appearanceChanges,
  overviewChanges,
  readRevision,
  type SettingsValues,
  settingsFormValues,
} from '../../src/distributions/settings/page-settings-form.ts';
import { maxTextBytes } from '../../src/uploads/upload-fields.ts';

const now = Date.UTC(2026, 10, 21, 9, 40);
const page: DistributionPage = {
  id: 'd1',
  appId: 'a1',
  accessKey: 'c'.repeat(40),
  ...initialPageSettings,
  name: 'main',
  passcodeHash: null,
  installs: 0,
  buildId: 'b1',
  releaseNote: 'one\ntwo',
  createdAt: now,
  updatedAt: now,
};

const groups = [
  { id: 'g1', name: 'QA' },
  { id: 'g2', name: 'Beta' },
];

/** A changed field is one that the form shows. */
const read = (changes: Partial<SettingsValues>, present: Partial<DistributionPage> = {}) => {
  const on = { ...page, ...present };
  const shown = {
    ...(changes.expires === undefined ? {} : { expiry: 'date' }),
    ...(changes.installs === undefined ? {} : { 'limits-installs': 'on' }),
    ...(changes.networks === undefined ? {} : { 'limits-networks': 'on' }),
  };
  const sent = { ...settingsFormValues(on, 7, []), ...shown, ...changes };
  const stated = { ...overviewChanges(sent), ...accessChanges(sent, on, now), ...appearanceChanges(sent) };
  return readSettings(stated, on, { all: groups, chosen: [] }, now);
};
const errorsOf = (changes: Partial<SettingsValues>, present: Partial<DistributionPage> = {}) =>
  Object.keys(read(changes, present).errors).sort();

describe('groups of a page', () => {
  it('are read by their ids when only they may open the page', () => {
    expect(read({ access: 'groups', groups: 'g2\ng1' }).settings.groups).toEqual(groups);
    expect(errorsOf({ access: 'groups', groups: 'g1' })).toEqual([]);
  });

  it('are ignored with any other kind of access', () => {
    expect(read({ access: 'members', groups: 'g1' }).settings.groups).toEqual([]);
    expect(errorsOf({ access: 'unlisted', groups: 'gone' })).toEqual([]);
  });

  it.each([
    [[], 'Choose at least one group.'],
    [['gone'], 'One of the groups no longer exists. Choose again.'],
    [['g1', 'gone'], 'One of the groups no longer exists. Choose again.'],
  ])('are refused when they are %j', (chosen, sentence) => {
    expect(read({ access: 'groups', groups: chosen.join('\n') }).errors.groups).toEqual([sentence]);
  });
});

describe('page settings', () => {
  it('stay the same when nothing changed', () => {
    const rules: Partial<DistributionPage> = {
      active: false,
      access: 'passcode',
      passcodeHash: 'hash',
      maxInstalls: 5,
      expiresAt: now - 12_345,
      networks: ['10.0.0.0/8', '2001:db8::/32'],
    };
    const { settings, errors } = read({}, rules);
    expect(errors).toEqual({});
    expect(settings).toEqual({
      ...initialPageSettings,
      name: 'main',
      active: false,
      access: 'passcode',
      groups: [],
      passcode: null,
      recount: false,
      expiresAt: now - 12_345,
      maxInstalls: 5,
      networks: rules.networks,
      note: page.releaseNote,
    });
    expect(describeChanges({ ...page, ...rules }, { ...page, ...rules, recount: false }, 7, 7)).toEqual({});
  });

  it('report all errors at once', () => {
    const submitted = {
      name: ' ',
      access: 'passcode',
      passcode: 'abc',
      expires: 'tomorrow',
      installs: '-1',
      networks: 'office\n10.0.0.0/33\n10.0.0.0/8',
      note: 'n'.repeat(maxReleaseNoteBytes + 1),
    };
    const { errors } = read(submitted);
    expect(Object.keys(errors).sort()).toEqual([
      ...['expires_at', 'max_installs', 'name', 'networks', 'passcode', 'release_note'],
    ]);
    expect(errors.networks).toEqual([
      '“office” is not a network or an IP address.',
      '“10.0.0.0/33” is not a network or an IP address.',
    ]);
  });

  it.each([
    ['', ['name']],
    ['  \t ', ['name']],
    ['n'.repeat(255), []],
    ['n'.repeat(256), ['name']],
    ['😀'.repeat(255), []],
    ['😀'.repeat(256), ['name']],
    ['a\u0007b', ['name']],
    ['a\nb', ['name']],
    ['feature/Größe <b>', []],
  ])('validate the name %j: %j', (name, expected) => {
    expect(errorsOf({ name })).toEqual(expected);
  });

  it('accept an unchanged name that an upload chose', () => {
    for (const name of [' spaced ', 'n'.repeat(300), 'tab\there']) {
      expect(read({}, { name })).toMatchObject({ settings: { name }, errors: {} });
    }
    expect(readName(' trimmed ', 'other', () => undefined)).toBe('trimmed');
    expect(readName('gro\u0308\u00dfe', null, () => undefined)).toBe('gr\u00f6\u00dfe');
  });

  it.each([
    ['unlisted', '', null, []],
    // The form hides the field.
    ['unlisted', 'open sesame', null, []],
    ['members', '1', 'hash', []],
    ['passcode', '', null, ['passcode']],
    ['passcode', '', 'hash', []],
    ['passcode', '123', null, ['passcode']],
    ['passcode', '1234', null, []],
    ['passcode', '😀😀😀', 'hash', ['passcode']],
    ['passcode', 'p'.repeat(128), 'hash', []],
    ['passcode', 'p'.repeat(129), 'hash', ['passcode']],
    ['passcode', ' 1234', 'hash', ['passcode']],
    ['passcode', '12\u000034', 'hash', ['passcode']],
    ['', '', null, ['access']],
    ['__proto__', '', null, ['access']],
  ])('validate access %j and the passcode %j over %j: %j', (access, passcode, passcodeHash, expected) => {
    expect(errorsOf({ access, passcode }, { passcodeHash })).toEqual(expected);
  });

  it.each([
    ['2027-01-31T18:00', Date.UTC(2027, 0, 31, 18)],
    ['2027-01-31T18:00:30', Date.UTC(2027, 0, 31, 18, 0, 30)],
    ['2027-01-31 18:00', Date.UTC(2027, 0, 31, 18)],
    [' 2028-02-29T00:00 ', Date.UTC(2028, 1, 29)],
    ['9999-12-31T23:59', Date.UTC(9999, 11, 31, 23, 59)],
  ])('accept the expiry %j', (expires, expected) => {
    expect(read({ expires })).toMatchObject({ settings: { expiresAt: expected }, errors: {} });
  });

  it.each([
    '2027-02-30T10:00',
    '2027-13-01T10:00',
    '2027-01-31T24:30',
    '2027-01-31',
    '31.1.2027',
    '+12027-01-01T00:00',
    '2027-01-31T18:00Z',
    '2027-01-31T18:00+02:00',
    '0000-00-00T00:00',
    '1e9',
    '2026-11-21T09:40',
    '1999-01-01T00:00',
  ])('reject the expiry %j', (expires) => {
    expect(errorsOf({ expires })).toEqual(['expires_at']);
  });

  it('read the choice of an expiry, and ignore a date that the form hides', () => {
    const expiryOf = (expiry: string) => read({ expiry, expires: 'tomorrow' });
    expect(expiryOf('never')).toMatchObject({ settings: { expiresAt: null }, errors: {} });
    expect(expiryOf('7').settings.expiresAt).toBe(now + 7 * 86_400_000);
    expect(expiryOf('30').settings.expiresAt).toBe(now + 30 * 86_400_000);
    for (const expiry of ['', '8', 'date', '__proto__']) {
      expect(Object.keys(expiryOf(expiry).errors)).toEqual(['expires_at']);
    }
  });

  it('ignore limits that the form hides', () => {
    const hidden = { 'limits-installs': '', 'limits-networks': '' };
    expect(read({ ...hidden, installs: 'ten', networks: 'office' })).toMatchObject({
      settings: { maxInstalls: null, networks: [] },
      errors: {},
    });
  });

  it.each([
    ['', null],
    [' 12 ', 12],
    ['#12', 12],
  ])('accept %j as the revision from which updates are optional', (mandatoryFrom, expected) => {
    expect(read({ 'mandatory-from': mandatoryFrom })).toMatchObject({
      settings: { mandatoryFrom: expected },
      errors: {},
    });
  });

  it.each(['0', '-1', '1.5', 'twelve', '1e3', '9'.repeat(16)])('reject %j as a revision', (mandatoryFrom) => {
    expect(errorsOf({ 'mandatory-from': mandatoryFrom })).toEqual(['mandatory_from']);
  });

  it.each([
    ['1', 1],
    [' 1000000 ', 1_000_000],
    ['', null],
  ])('accept the install limit %j', (installs, expected) => {
    expect(read({ installs })).toMatchObject({ settings: { maxInstalls: expected }, errors: {} });
  });

  it.each(['0', '-1', '1.5', '1e3', '1000001', '9'.repeat(40), 'ten', '0x10', 'NaN', '１'])(
    'reject the install limit %j',
    (installs) => {
      expect(errorsOf({ installs })).toEqual(['max_installs']);
    },
  );

  it('parse networks, one per line with any line ending, without duplicates', () => {
    const networks = ' 10.0.0.0/8\r\n\r\n2001:DB8::/32\n2001:db8::/32\r192.168.1.1 ';
    expect(read({ networks }).settings.networks).toEqual(['10.0.0.0/8', '2001:db8::/32', '192.168.1.1']);
    const limit = Array.from({ length: 32 }, (_, at) => `10.${at}.0.0/16`);
    expect(errorsOf({ networks: limit.join('\n') })).toEqual([]);
    expect(errorsOf({ networks: [...limit, '11.0.0.0/8'].join('\n') })).toEqual(['networks']);
  });

  it('report invalid network lines up to a limit', () => {
    const wrong = Array.from({ length: 5000 }, (_, at) => `host-${at}-${'x'.repeat(200)}`);
    const errors = read({ networks: wrong.join('\n') }).errors.networks ?? [];
    expect(errors.length).toBeLessThan(40);
    expect(errors.join('').length).toBeLessThan(5000);
    expect(errors).toContain('And 4968 more invalid lines.');
  });

  it('accept notes of the same size as uploads do', () => {
    expect(maxReleaseNoteBytes).toBe(maxTextBytes);
    expect(errorsOf({ note: 'ü'.repeat(maxReleaseNoteBytes / 2) })).toEqual([]);
    expect(errorsOf({ note: `${'ü'.repeat(maxReleaseNoteBytes / 2)}x` })).toEqual(['release_note']);
  });

  it('distinguish a changed note from different line endings', () => {
    expect(noteDigest('one\r\ntwo\r\n')).toBe(noteDigest('one\ntwo'));
    expect(noteDigest('one two')).not.toBe(noteDigest('one\ntwo'));
    expect(read({ note: 'a\r\nb\rc' }).settings.note).toBe('a\nb\nc');
  });

  it.each([
    ['1', 1],
    ['999999999999999', 999_999_999_999_999],
    ['0', null],
    ['01', null],
    ['-1', null],
    ['1.0', null],
    ['9'.repeat(16), null],
    ['', null],
    ['__proto__', null],
  ])('parse the revision %j as %j', (submitted, expected) => {
    expect(readRevision(submitted)).toBe(expected);
  });
});

describe('audit log', () => {
  it('records changes, but only the fact that a passcode changed', () => {
    const changed: Partial<DistributionPage> = {
      name: 'beta',
      access: 'passcode',
      passcodeHash: '$argon2id$secret',
      networks: ['::1'],
      releaseNote: 'other',
    };
    const after = { ...page, ...changed, recount: true };
    const changes = describeChanges({ ...page, installs: 3 }, after, 7, 8);
    expect(changes).toEqual({
      name: ['main', 'beta'],
      access: ['unlisted', 'passcode'],
      networks: [[], ['::1']],
      passcode: 'set',
      build: [7, 8],
      releaseNote: 'changed',
      installs: [3, 0],
    });
    const hash = (passcodeHash: string | null) => ({ ...page, passcodeHash, recount: false });
    expect(describeChanges(hash('a'), hash('b'), 7, 7)).toEqual({ passcode: 'changed' });
    expect(describeChanges(hash('a'), hash(null), 7, 7)).toEqual({ passcode: 'removed' });
  });
});
