/** Adds a list of people, as pasted from an email or a spreadsheet, one by one. */
import * as v from 'valibot';
import { AppError, PolicyRefused } from '../../core/errors.ts';
import { emailKey, maxLoginLength } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { type AddPersonResult, UnknownPerson } from './invite-user.ts';

export const maxPeopleAtOnce = 60;

/**
 * Adding people by name or address reveals whether an account exists. All routes that do so share this limit: it is too low for
 * checking many addresses, and high enough for the longest list.
 */
export const findPeopleLimit = {
  name: 'find people',
  limit: maxPeopleAtOnce,
  windowMs: 15 * 60_000,
  per: 'caller',
  refusal: 'newPeople',
  /** Each entry of the list in a form, or of `logins` in a JSON body, counts as one attempt to find an account. */
  weigh: ({ login, logins = login }: Readonly<Record<string, unknown>>) =>
    Array.isArray(logins) ? Math.max(1, logins.length) : 1,
} as const;
/** Allows a name next to each address. */
export const maxPeopleListLength = 40_000;

/** One entry of a list. */
export interface ListedPerson {
  /** As typed. */
  text: string;
  /** Name or email address; null if it cannot be either. */
  login: string | null;
}

/** `message`: a full sentence for results without a text of their own. */
export type AddedPerson =
  | { text: string; outcome: AddPersonResult | 'unknown' | 'invalid' }
  | { text: string; outcome: 'refused'; message: string };

/**
 * Reads names and addresses separated by line ends, commas or semicolons; `Ann Lee <ann@example.com>` is the address.
 * Repeated entries count once.
 */
export function readPeopleList(text: string): ListedPerson[] {
  const people = new Map<string, ListedPerson>();
  // A quoted name may contain a comma: "Lee, Ann" <ann@example.com>.
  for (const part of text.replace(/"[^"\r\n]*"[ \t]*</g, '<').split(/[\r\n,;]/)) {
    const entry = part.trim();
    if (entry === '') continue;
    const login = loginOf(entry);
    const key = emailKey(login ?? entry);
    if (!people.has(key)) people.set(key, { text: login ?? entry, login });
  }
  return [...people.values()];
}

function loginOf(entry: string): string | null {
  const from = entry.endsWith('>') ? entry.lastIndexOf('<') : -1;
  const login = from < 0 ? entry : entry.slice(from + 1, -1).trim();
  // Only addresses are written in angle brackets.
  if (from >= 0 && !login.includes('@')) return null;
  return login === '' || login.length > maxLoginLength || /[\s<>"]/.test(login) ? null : login;
}

/** Form field with a list of people. */
export const peopleListField = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(maxPeopleListLength, () => accountTexts.peopleList.tooLong({ limit: maxPeopleListLength })),
  v.transform(readPeopleList),
  v.check(
    (list) => list.length <= maxPeopleAtOnce,
    () => accountTexts.peopleList.tooMany({ limit: maxPeopleAtOnce }),
  ),
);

/** The name or address of a form with a single entry, or null for a list. */
export function onlyLogin(list: readonly ListedPerson[]): string | null {
  const [first, second] = list;
  return second ? null : (first?.login ?? first?.text ?? '');
}

/** Adds people one by one, so that a refused entry does not affect the others. */
export async function addEachPerson(
  list: readonly ListedPerson[],
  add: (login: string) => Promise<AddPersonResult>,
): Promise<AddedPerson[]> {
  const added: AddedPerson[] = [];
  for (const { text, login } of list) {
    added.push(login === null ? { text, outcome: 'invalid' } : await addOne(text, () => add(login)));
  }
  return added;
}

async function addOne(text: string, add: () => Promise<AddPersonResult>): Promise<AddedPerson> {
  try {
    return { text, outcome: await add() };
  } catch (error) {
    if (error instanceof UnknownPerson) return { text, outcome: 'unknown' };
    const isRefusal = error instanceof AppError && ['invalid', 'conflict', 'too_many'].includes(error.kind);
    if (!isRefusal && !isRefusedAddress(error)) throw error;
    return { text, outcome: 'refused', message: error.sentence };
  }
}

/** The policies of the Workspace do not admit the address. */
const isRefusedAddress = (error: unknown): error is PolicyRefused =>
  error instanceof PolicyRefused && error.field === 'login';
