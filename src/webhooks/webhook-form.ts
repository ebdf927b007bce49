/** Parses and validates the webhook form. */

import { FormInvalid } from '../core/errors.ts';
import { isVisibleName, normalizeName } from '../core/name-text.ts';
import type { AddressError } from '../core/outbound/outbound-address.ts';
import type { EventChoice, EventType } from '../events/events.ts';
import {
  type DeliveryError,
  maxWebhookAddressLength,
  maxWebhookNameLength,
  type Webhook,
  type WebhookKind,
  webhookKinds,
} from './webhook.ts';
import { readWebhookAddress } from './webhook-address.ts';
import { webhookTexts } from './webhook-texts.ts';

export interface WebhookValues {
  name: string;
  /** Empty if unchanged. Never contains the stored URL. */
  url: string;
  kind: string;
  events: readonly string[];
}

export interface ReadWebhook {
  name: string;
  kind: WebhookKind;
  subscribedEvents: readonly EventChoice[];
  /** Null if unchanged. */
  url: URL | null;
}

const t = webhookTexts.errors;

export const newWebhook: WebhookValues = {
  name: '',
  url: '',
  kind: 'json',
  events: ['build.uploaded'],
};

export const webhookValuesOf = ({ name, kind, subscribedEvents }: Webhook): WebhookValues => ({
  name,
  kind,
  events: subscribedEvents,
  url: '',
});

/**
 * `hasAddress`: whether an empty field keeps the current URL. `types`: the events that the webhook may receive. Does not check
 * the allowed networks. Throws `FormInvalid`.
 */
export function readWebhookForm(
  submitted: WebhookValues,
  { hasAddress, types }: { hasAddress: boolean; types: readonly EventType[] },
): ReadWebhook {
  const errors: Record<string, string[]> = {};
  const name = normalizeName(submitted.name);
  if (name.length > maxWebhookNameLength || !isVisibleName(name))
    errors.name = [t.name({ limit: maxWebhookNameLength })];
  const kind = webhookKinds.find((one) => one === submitted.kind);
  if (!kind) errors.kind = [t.kind];
  const subscribedEvents = readChoice(submitted.events, types);
  if (typeof subscribedEvents === 'string') errors.events = [subscribedEvents];
  const keeps = hasAddress && submitted.url.trim() === '';
  const address = keeps ? { url: null } : readWebhookAddress(submitted.url);
  if ('problem' in address) errors.url = [addressSentence(address.problem)];
  if (!kind || typeof subscribedEvents === 'string' || 'problem' in address || Object.keys(errors).length > 0)
    throw new FormInvalid(errors);
  return { name, kind, subscribedEvents, url: address.url };
}

/** Returns the error as a sentence if the choice is invalid. */
function readChoice(
  submitted: readonly string[],
  types: readonly EventType[],
): readonly EventChoice[] | string {
  if (submitted.includes('*')) return ['*'];
  const other = submitted.find((one) => !(types as readonly string[]).includes(one));
  if (other !== undefined) return t.unknownEvent({ event: other });
  return submitted.length === 0 ? t.events : types.filter((type) => submitted.includes(type));
}

/** Returns the error for an address that is not accepted. */
export function addressRefusal(text: string): string | undefined {
  const address = readWebhookAddress(text);
  return 'problem' in address ? addressSentence(address.problem) : undefined;
}

function addressSentence(problem: AddressError): string {
  return problem === 'long' ? t.long({ limit: maxWebhookAddressLength }) : t[problem];
}

export const targetErrorText = (problem: DeliveryError) => webhookTexts.deliveryErrors[problem];
