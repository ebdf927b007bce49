/** Parses and validates the webhook form. */
import { FormInvalid } from '../core/errors.ts';
import type { EventGroup } from '../jobs/outbox.ts';
import {
  type DeliveryError,
  maxWebhookAddressLength,
  maxWebhookNameLength,
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
  subscribedEvents: readonly EventGroup[];
}

export interface ReadWebhook {
  name: string;
  kind: WebhookKind;
  subscribedEvents: readonly EventGroup[];
  /** Null: unchanged. */
  url: URL | null;
}

const t = webhookTexts.errors;

export const newWebhook: WebhookValues = {
  name: '',
  address: '',
  kind: 'json',
  subscribedEvents: ['uploads'],
};

export const webhookValuesOf = ({ name, kind, subscribedEvents }: Webhook): WebhookValues => ({
  name,
  kind,
  subscribedEvents,
  address: '',
});

/** `hasAddress`: an empty field keeps the current URL. Does not check the allowed networks. Throws `FormInvalid`. */
export function readWebhookForm(submitted: WebhookValues, hasAddress: boolean): ReadWebhook {
  const errors: Record<string, string[]> = {};
  const name = submitted.name.trim();
  if (name.length > maxWebhookNameLength || /\p{Cc}/u.test(name))
    errors.name = [t.name({ limit: maxWebhookNameLength })];
  const kind = webhookKinds.find((one) => one === submitted.kind);
  if (!kind) errors.kind = [t.kind];
  const { subscribedEvents } = submitted;
  if (subscribedEvents.length === 0) errors.events = [t.events];
  const keeps = hasAddress && submitted.address.trim() === '';
  const address = keeps ? { url: null } : readWebhookAddress(submitted.address);
  if ('problem' in address) errors.address = [addressSentence(address.problem)];
  if (!kind || 'problem' in address || Object.keys(errors).length > 0) throw new FormInvalid(errors);
  return { name, kind, subscribedEvents, url: address.url };
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
