import type { Faults } from '../core/errors.ts';
import { Choice, FieldErrors as FaultList } from '../web/components/form-field.tsx';
import { TextField } from '../web/components/text-field.tsx';
import { maxWebhookAddressLength, maxWebhookNameLength, webhookKinds } from './webhook.ts';
import type { WebhookValues } from './webhook-form.ts';
import { webhookTexts } from './webhook-texts.ts';

const words = webhookTexts;
const events = ['uploads', 'deletions', 'pages'] as const;

export interface WebhookFieldsProps {
  typed: WebhookValues;
  faults: Faults;
  /** Shortened current URL, which an empty field keeps. Null without one. */
  shownAddress: string | null;
}

export function WebhookFields({ typed, faults, shownAddress }: WebhookFieldsProps) {
  const kept = shownAddress === null ? null : words.addressKept(shownAddress);
  return (
    <>
      <TextField
        id="address"
        label={words.address}
        hint={kept === null ? words.addressHint : <bdi>{`${kept} ${words.addressHint}`}</bdi>}
        value={typed.address}
        faults={faults.address}
        type="url"
        maxLength={maxWebhookAddressLength}
        placeholder="https://"
        required={kept === null}
      />
      <TextField
        id="name"
        label={words.name}
        hint={words.nameHint}
        value={typed.name}
        faults={faults.name}
        maxLength={maxWebhookNameLength}
        prose
      />
      <fieldset class="choices" aria-describedby={faults.kind ? 'kind-faults' : undefined}>
        <legend>{words.kind}</legend>
        {webhookKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`kind-${kind}`}
            name="kind"
            value={kind}
            checked={typed.kind === kind}
            {...words.kinds[kind]}
          />
        ))}
        <FaultList id="kind" faults={faults.kind ?? []} />
      </fieldset>
      <fieldset class="choices" aria-describedby={faults.events ? 'events-faults' : undefined}>
        <legend>{words.events}</legend>
        {events.map((event) => (
          <Choice
            key={event}
            type="checkbox"
            id={`event-${event}`}
            name={event}
            checked={typed.subscribedEvents[event]}
            {...words.eventNames[event]}
          />
        ))}
        <FaultList id="events" faults={faults.events ?? []} />
      </fieldset>
    </>
  );
}
