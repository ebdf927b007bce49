/** Lists of people as they are pasted from emails and spreadsheets. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  addEachPerson,
  maxPeopleAtOnce,
  maxPeopleListLength,
  onlyLogin,
  peopleListField,
  readPeopleList,
} from '../../src/accounts/invitations/people-list.ts';
import { conflict, NotFound, TooManyRequests } from '../../src/core/errors.ts';

const logins = (text: string) => readPeopleList(text).map(({ login }) => login);

describe('a list of people', () => {
  it.each([
    ['ann', ['ann']],
    ['ann\nbob\r\ncid', ['ann', 'bob', 'cid']],
    ['ann, bob;cid,,;\n\n dan ', ['ann', 'bob', 'cid', 'dan']],
    ['Ann Lee <ann@example.com>, bob', ['ann@example.com', 'bob']],
    ['"Lee, Ann" <ann@example.com>; <bob@example.com>', ['ann@example.com', 'bob@example.com']],
    ['ann@example.com, ANN@example.com, Ann <ann@Example.com>', ['ann@example.com']],
    ['', []],
    [' ,;\n', []],
  ])('%j is read as %j', (text, expected) => {
    expect(logins(text)).toEqual(expected);
  });

  it.each(['ann lee', 'Ann <ann>', 'Ann <>', '<', '>', 'a>b', `${'a'.repeat(243)}@example.com`, 'a\tb'])(
    'marks %j as invalid and keeps the text',
    (text) => {
      expect(readPeopleList(text)).toEqual([{ text, login: null }]);
    },
  );

  it('is limited to 60 people and 40,000 characters', () => {
    const people = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`).join('\n');
    expect(v.safeParse(peopleListField, people(maxPeopleAtOnce)).success).toBe(true);
    const tooMany = v.safeParse(peopleListField, people(maxPeopleAtOnce + 1));
    expect(tooMany.issues?.map(({ message }) => message)).toEqual(['At most 60 people at once.']);
    expect(v.safeParse(peopleListField, 'a'.repeat(maxPeopleListLength)).success).toBe(true);
    expect(v.safeParse(peopleListField, 'a'.repeat(maxPeopleListLength + 1)).success).toBe(false);
  });

  it('is handled as a single name only with at most one entry', () => {
    expect(onlyLogin(readPeopleList('ann,'))).toBe('ann');
    expect(onlyLogin(readPeopleList('ann lee'))).toBe('ann lee');
    expect(onlyLogin(readPeopleList(''))).toBe('');
    expect(onlyLogin(readPeopleList('ann,bob'))).toBeNull();
  });

  it('goes on after an entry that is refused, and stops when the place is gone', async () => {
    const list = readPeopleList('ann, b b, cid, dan');
    const added = await addEachPerson(list, async (login) => {
      if (login === 'ann') throw conflict('the place is full');
      if (login === 'cid') throw new TooManyRequests('invitations', 9);
      return 'invited';
    });
    expect(added).toEqual([
      { text: 'ann', outcome: 'refused', message: 'The place is full.' },
      { text: 'b b', outcome: 'invalid' },
      { text: 'cid', outcome: 'refused', message: 'Too many invitations: try again tomorrow.' },
      { text: 'dan', outcome: 'invited' },
    ]);
    const gone = async () => Promise.reject(new NotFound());
    await expect(addEachPerson(list, gone)).rejects.toThrow(NotFound);
  });
});
