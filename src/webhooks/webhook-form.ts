/** Parses and validates the webhook form. */
import { FormRefused } from '../core/errors.ts';
import {
  type DeliveryError,
  maxWebhookAddressLength,
  maxWebhookNameLength,
  type SubscribedEvents,
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
  subscribedEvents: SubscribedEvents;
}

export interface ReadWebhook {
  name: string;
  kind: WebhookKind;
  subscribedEvents: SubscribedEvents;
  /** Null: unchanged. */
  url: URL | null;
}

const words = webhookTexts.faults;

export const newWebhook: WebhookValues = {
  name: '',
  address: '',
  kind: 'json',
  subscribedEvents: { uploads: true, deletions: false, pages: false },
};

export const webhookValuesOf = ({ name, kind, subscribedEvents }: Webhook): WebhookValues => ({
  name,
  kind,
  subscribedEvents,
  address: '',
});

/** `hasAddress`: an empty field keeps the current URL. Does not check the allowed networks. Throws `FormRefused`. */
export function readWebhookForm(typed: WebhookValues, hasAddress: boolean): ReadWebhook {
  const faults: Record<string, string[]> = {};
  const name = typed.name.trim();
  if (name.length > maxWebhookNameLength || /\p{Cc}/u.test(name))
    faults.name = [words.name(maxWebhookNameLength)];
  const kind = webhookKinds.find((one) => one === typed.kind);
  if (!kind) faults.kind = [words.kind];
  const { subscribedEvents } = typed;
  if (!subscribedEvents.uploads && !subscribedEvents.deletions && !subscribedEvents.pages)
    faults.events = [words.events];
  const keeps = hasAddress && typed.address.trim() === '';
  const address = keeps ? { url: null } : readWebhookAddress(typed.address);
  if ('fault' in address) faults.address = [addressSentence(address.fault)];
  if (!kind || 'fault' in address || Object.keys(faults).length > 0) throw new FormRefused(faults);
  return { name, kind, subscribedEvents, url: address.url };
}

function addressSentence(fault: AddressError): string {
  return fault === 'long' ? words.long(maxWebhookAddressLength) : words[fault];
}

export const targetErrorText = (fault: DeliveryError) => webhookTexts.deliveryFaults[fault];
