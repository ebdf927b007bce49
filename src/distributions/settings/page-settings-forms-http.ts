/** What the form of each part of the page settings sends. */
import * as v from 'valibot';
import { many } from '../../http/routes/form.ts';
import { chosenRevision, type SettingsValues } from './page-settings-form.ts';

/** A checkbox; empty unless it is checked. */
const checkbox = () => v.optional(v.string(), '');
const optional = () => v.optional(v.string(), '');

/** Raw fields. `page-settings.ts` validates them against the current page with its row locked. */
export const overviewFields = {
  note: v.string(),
  'mandatory-from': optional(),
  revision: v.string(),
  'other-revision': optional(),
  'seen-revision': v.string(),
  'seen-note': v.string(),
};

export const accessFields = {
  active: checkbox(),
  access: optional(),
  groups: many(v.string()),
  passcode: v.string(),
  expiry: optional(),
  expires: v.string(),
  'limits-installs': checkbox(),
  'limits-networks': checkbox(),
  installs: v.string(),
  recount: checkbox(),
  networks: v.string(),
};

export const appearanceFields = { name: v.string(), feedback: checkbox() };

/** What a form sent. As its text, a list has one value per line. */
type Sent<Fields> = Readonly<
  Record<Exclude<keyof Fields, 'groups'>, string> &
    ('groups' extends keyof Fields ? { groups: string | readonly string[] } : object)
>;

export const overviewValues = (sent: Sent<typeof overviewFields>) =>
  ({
    note: sent.note,
    mandatoryFrom: sent['mandatory-from'],
    revision: chosenRevision(sent),
    seenRevision: sent['seen-revision'],
    seenNote: sent['seen-note'],
  }) satisfies Partial<SettingsValues>;

export const accessValues = (sent: Sent<typeof accessFields>) =>
  ({
    active: sent.active !== '',
    access: sent.access,
    groups: typeof sent.groups === 'string' ? sent.groups.split('\n').filter(Boolean) : sent.groups,
    passcode: sent.passcode,
    expiry: sent.expiry,
    expires: sent.expires,
    limitsInstalls: sent['limits-installs'] !== '',
    limitsNetworks: sent['limits-networks'] !== '',
    installs: sent.installs,
    recount: sent.recount !== '',
    networks: sent.networks,
  }) satisfies Partial<SettingsValues>;

export const appearanceValues = (sent: Sent<typeof appearanceFields>) =>
  ({ name: sent.name, feedback: sent.feedback !== '' }) satisfies Partial<SettingsValues>;
