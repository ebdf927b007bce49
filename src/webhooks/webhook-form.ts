/** Parses and validates the webhook form. */

import { FormInvalid } from '../core/errors.ts';
import { isVisibleName, normalizeName } from '../core/name-text.ts';
import type { EventChoice, EventType } from '../jobs/events.ts';
import { formerEventTypes } from '../jobs/subscription.ts';
import {
  type DeliveryError,
  maxWebhookAddressLength,
  maxWebhookNameLength,
  type PayloadVersion,
  type Webhook,
  type WebhookKind,
  webhookKinds,
} from './webhook.ts';
import { type AddressError, readWebhookAddress } from './webhook-address.ts';
import { webhookTexts } from './webhook-texts.ts';

export interface WebhookValues {
  name: string;
  /** Empty: unchanged. Never contains the stored URL. */
  address: string;
  kind: string;
  payloadVersion: PayloadVersion;
  subscribedEvents: readonly string[];
}

export interface ReadWebhook {
  name: string;
  kind: WebhookKind;
  payloadVersion: PayloadVersion;
  subscribedEvents: readonly EventChoice[];
  /** Null: unchanged. */
  url: URL | null;
}

/** Choices of the form: a kind with its payload version. */
export const webhookFormats = ['json', 'json-1', 'slack', 'teams'] as const;

export const formatOf = ({ kind, payloadVersion }: Pick<WebhookValues, 'kind' | 'payloadVersion'>) =>
  kind === 'json' && payloadVersion === 1 ? 'json-1' : kind;

export const valuesOfFormat = (format: string): Pick<WebhookValues, 'kind' | 'payloadVersion'> =>
  format === 'json-1' ? { kind: 'json', payloadVersion: 1 } : { kind: format, payloadVersion: 2 };

const t = webhookTexts.errors;

export const newWebhook: WebhookValues = {
  name: '',
  address: '',
  kind: 'json',
  payloadVersion: 2,
  subscribedEvents: ['build.uploaded'],
};

export const webhookValuesOf = ({
  name,
  kind,
  payloadVersion,
  subscribedEvents,
}: Webhook): WebhookValues => ({ name, kind, payloadVersion, subscribedEvents, address: '' });

/**
 * `hasAddress`: an empty field keeps the current URL. `types`: those that the webhook can receive. Does not check the allowed networks.
 * Throws `FormInvalid`.
 */
export function readWebhookForm(
  submitted: WebhookValues,
  { hasAddress, types }: { hasAddress: boolean; types: readonly EventType[] },
): ReadWebhook {
  const errors: Record<string, string[]> = {};
  const name = normalizeName(submitted.name);
  if (name.length > maxWebhookNameLength || !isVisibleName(name))
    errors.name = [t.name({ limit: maxWebhookNameLength })];
  const { payloadVersion } = submitted;
  const kind = webhookKinds.find((one) => one === submitted.kind);
  if (!kind) errors.kind = [t.kind];
  const known: readonly EventType[] =
    kind === 'json' && payloadVersion === 1 ? types.filter((type) => formerEventTypes.includes(type)) : types;
  const subscribedEvents = readChoice(submitted.subscribedEvents, types, known);
  if (typeof subscribedEvents === 'string') errors.events = [subscribedEvents];
  const keeps = hasAddress && submitted.address.trim() === '';
  const address = keeps ? { url: null } : readWebhookAddress(submitted.address);
  if ('problem' in address) errors.address = [addressSentence(address.problem)];
  if (!kind || typeof subscribedEvents === 'string' || 'problem' in address || Object.keys(errors).length > 0)
    throw new FormInvalid(errors);
  return { name, kind, payloadVersion, subscribedEvents, url: address.url };
}

/** `known`: the types that the payload can describe. Returns an error as a sentence. */
function readChoice(
  submitted: readonly string[],
  types: readonly EventType[],
  known: readonly EventType[],
): readonly EventChoice[] | string {
  if (submitted.includes('*')) return known === types ? ['*'] : t.allEvents;
  const other = submitted.find((one) => !(types as readonly string[]).includes(one));
  if (other !== undefined) return t.unknownEvent({ event: other });
  const unsupported = submitted.find((one) => !(known as readonly string[]).includes(one));
  if (unsupported !== undefined) return t.newEvent({ event: unsupported });
  return submitted.length === 0 ? t.events : types.filter((type) => submitted.includes(type));
}

/** The error of an address that is not accepted. */
export function addressRefusal(text: string): string | undefined {
  const address = readWebhookAddress(text);
  return 'problem' in address ? addressSentence(address.problem) : undefined;
}

function addressSentence(problem: AddressError): string {
  return problem === 'long' ? t.long({ limit: maxWebhookAddressLength }) : t[problem];
}

export const targetErrorText = (problem: DeliveryError) => webhookTexts.deliveryErrors[problem];
