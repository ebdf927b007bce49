/** What somebody types into the form of a webhook, and what is wrong with it. */
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
import { type AddressFault, readWebhookAddress } from './webhook-address.ts';
import { webhookTexts } from './webhook-texts.ts';

export interface TypedWebhook {
  name: string;
  /** Empty: stays as it is. Never what was saved. */
  address: string;
  kind: string;
  subscribedEvents: SubscribedEvents;
}

export interface ReadWebhook {
  name: string;
  kind: WebhookKind;
  subscribedEvents: SubscribedEvents;
  /** Null: as it was. */
  url: URL | null;
}

const words = webhookTexts.faults;

export const newWebhook: TypedWebhook = {
  name: '',
  address: '',
  kind: 'json',
  subscribedEvents: { uploads: true, deletions: false, pages: false },
};

export const typedWebhookOf = ({ name, kind, subscribedEvents }: Webhook): TypedWebhook => ({
  ...{ name, kind, subscribedEvents, address: '' },
});

/**
 * `hasAddress`: there is one already, which stays where none is typed. Whether webhooks may go there is another question.
 * Throws `FormRefused`.
 */
export function readWebhookForm(typed: TypedWebhook, hasAddress: boolean): ReadWebhook {
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

function addressSentence(fault: AddressFault): string {
  return fault === 'long' ? words.long(maxWebhookAddressLength) : words[fault];
}

export const targetSentence = (fault: DeliveryError) => webhookTexts.deliveryFaults[fault];
