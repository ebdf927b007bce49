/** What somebody types into the form of a hook, and what is wrong with it. */
import { hookTexts } from '../web/hook-texts.ts';
import {
  type Hook,
  type HookEvents,
  type HookFault,
  type HookKind,
  hookKinds,
  maxHookAddressLength,
  maxHookNameLength,
} from './hook.ts';
import { type AddressFault, readHookAddress } from './hook-address.ts';

export interface TypedHook {
  name: string;
  /** Empty: stays as it is. Never what was saved. */
  address: string;
  kind: string;
  hears: HookEvents;
  on: boolean;
}

export interface HookFormFaults {
  name?: string[];
  address?: string[];
  kind?: string[];
  events?: string[];
}

export interface ReadHook {
  name: string;
  kind: HookKind;
  hears: HookEvents;
  on: boolean;
  /** Null: as it was. */
  url: URL | null;
}

const words = hookTexts.faults;

export const freshHook: TypedHook = {
  name: '',
  address: '',
  kind: 'json',
  hears: { uploads: true, deletions: false, pages: false },
  on: true,
};

export const typedOfHook = ({ name, kind, hears, state }: Hook): TypedHook => ({
  ...{ name, kind, hears, address: '' },
  on: state === 'on',
});

/** `hasAddress`: there is one already, which stays where none is typed. Whether hooks may go there is another question. */
export function readHookForm(
  typed: TypedHook,
  hasAddress: boolean,
): { read: ReadHook } | { faults: HookFormFaults } {
  const faults: HookFormFaults = {};
  const name = typed.name.trim();
  if (name.length > maxHookNameLength || /\p{Cc}/u.test(name)) faults.name = [words.name(maxHookNameLength)];
  const kind = hookKinds.find((one) => one === typed.kind);
  if (!kind) faults.kind = [words.kind];
  const { hears, on } = typed;
  if (!hears.uploads && !hears.deletions && !hears.pages) faults.events = [words.events];
  const keeps = hasAddress && typed.address.trim() === '';
  const address = keeps ? { url: null } : readHookAddress(typed.address);
  if ('fault' in address) faults.address = [addressSentence(address.fault)];
  if (!kind || 'fault' in address || Object.keys(faults).length > 0) return { faults };
  return { read: { name, kind, hears, on, url: address.url } };
}

function addressSentence(fault: AddressFault): string {
  return fault === 'long' ? words.long(maxHookAddressLength) : words[fault];
}

export const targetSentence = (fault: HookFault) => hookTexts.deliveryFaults[fault];
