/** What somebody types into the form of a hook, and what is wrong with it. */
import { FormRefused } from '../core/errors.ts';
import {
  type Hook,
  type HookEvents,
  type HookFault,
  type HookKind,
  hookKinds,
  maxHookAddressLength,
  maxHookNameLength,
} from './webhook.ts';
import { type AddressFault, readHookAddress } from './webhook-address.ts';
import { hookTexts } from './webhook-texts.ts';

export interface TypedHook {
  name: string;
  /** Empty: stays as it is. Never what was saved. */
  address: string;
  kind: string;
  hears: HookEvents;
}

export interface ReadHook {
  name: string;
  kind: HookKind;
  hears: HookEvents;
  /** Null: as it was. */
  url: URL | null;
}

const words = hookTexts.faults;

export const freshHook: TypedHook = {
  name: '',
  address: '',
  kind: 'json',
  hears: { uploads: true, deletions: false, pages: false },
};

export const typedOfHook = ({ name, kind, hears }: Hook): TypedHook => ({
  ...{ name, kind, hears, address: '' },
});

/**
 * `hasAddress`: there is one already, which stays where none is typed. Whether hooks may go there is another question.
 * Throws `FormRefused`.
 */
export function readHookForm(typed: TypedHook, hasAddress: boolean): ReadHook {
  const faults: Record<string, string[]> = {};
  const name = typed.name.trim();
  if (name.length > maxHookNameLength || /\p{Cc}/u.test(name)) faults.name = [words.name(maxHookNameLength)];
  const kind = hookKinds.find((one) => one === typed.kind);
  if (!kind) faults.kind = [words.kind];
  const { hears } = typed;
  if (!hears.uploads && !hears.deletions && !hears.pages) faults.events = [words.events];
  const keeps = hasAddress && typed.address.trim() === '';
  const address = keeps ? { url: null } : readHookAddress(typed.address);
  if ('fault' in address) faults.address = [addressSentence(address.fault)];
  if (!kind || 'fault' in address || Object.keys(faults).length > 0) throw new FormRefused(faults);
  return { name, kind, hears, url: address.url };
}

function addressSentence(fault: AddressFault): string {
  return fault === 'long' ? words.long(maxHookAddressLength) : words[fault];
}

export const targetSentence = (fault: HookFault) => hookTexts.deliveryFaults[fault];
