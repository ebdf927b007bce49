import type { FieldErrors } from '../core/errors.ts';
import { eventGroups, eventsOf } from '../jobs/outbox.ts';
import { Choice, FieldErrors as ErrorList } from '../web/components/form-field.tsx';
import { joinSentences } from '../web/components/formats.ts';
import { TextField } from '../web/components/text-field.tsx';
import { maxWebhookAddressLength, maxWebhookNameLength, webhookKinds } from './webhook.ts';
import { addressRefusal, type WebhookValues } from './webhook-form.ts';
import { webhookTexts } from './webhook-texts.ts';

const t = webhookTexts;

export interface WebhookFieldsProps {
  submitted: WebhookValues;
  errors: FieldErrors;
  /** Shortened current URL, which an empty field keeps. Null without one. */
  shownAddress: string | null;
}

export function WebhookFields({ submitted, errors, shownAddress }: WebhookFieldsProps) {
  const kept = shownAddress === null ? null : t.addressKept({ shown: shownAddress });
  return (
    <>
      <TextField
        id="address"
        label={t.address}
        hint={kept === null ? t.addressHint : <bdi>{joinSentences([kept, t.addressHint])}</bdi>}
        value={submitted.address}
        errors={errors.address}
        type="url"
        maxLength={maxWebhookAddressLength}
        placeholder="https://"
        required={kept === null}
        missing={addressRefusal('')}
        mismatch={addressRefusal('?')}
      />
      <TextField
        id="name"
        label={t.name}
        hint={t.nameHint}
        value={submitted.name}
        errors={errors.name}
        maxLength={maxWebhookNameLength}
        prose
      />
      <fieldset class="choices" aria-describedby={errors.kind ? 'kind-errors' : undefined}>
        <legend>{t.kind}</legend>
        {webhookKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`kind-${kind}`}
            name="kind"
            value={kind}
            checked={submitted.kind === kind}
            {...t.kinds[kind]}
          />
        ))}
        <ErrorList id="kind" errors={errors.kind ?? []} />
      </fieldset>
      <fieldset class="choices" aria-describedby={errors.events ? 'events-errors' : undefined}>
        <legend>{t.events}</legend>
        {eventGroups.map((group) => (
          <Choice
            key={group}
            type="checkbox"
            id={`event-${group}`}
            name={group}
            checked={submitted.subscribedEvents.includes(group)}
            label={t.eventNames[group]}
            hint={eventsOf(group).join(', ')}
          />
        ))}
        <ErrorList id="events" errors={errors.events ?? []} />
      </fieldset>
    </>
  );
}
