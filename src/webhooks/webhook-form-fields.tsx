import type { FieldErrors } from '../core/errors.ts';
import { appEventTypes, type EventType, eventTypes } from '../events/events.ts';
import { Choice, ChoiceGroup } from '../web/components/form-field.tsx';
import { joinSentences } from '../web/components/formats.ts';
import { TextField } from '../web/components/text-field.tsx';
import { maxWebhookAddressLength, maxWebhookNameLength, webhookKinds } from './webhook.ts';
import { addressRefusal, type WebhookValues } from './webhook-form.ts';
import { webhookTexts } from './webhook-texts.ts';

const t = webhookTexts;

export interface WebhookFieldsProps {
  submitted: WebhookValues;
  errors: FieldErrors;
  /** Whether the webhook belongs to one app. */
  ofApp: boolean;
  /** The current URL, shortened, which stays if the field is empty. Null if there is none. */
  shownAddress: string | null;
}

export function WebhookFields({ submitted, errors, shownAddress, ofApp }: WebhookFieldsProps) {
  const kept = shownAddress === null ? null : t.addressKept({ shown: shownAddress });
  const takesAll = submitted.events.includes('*');
  return (
    <>
      <TextField
        id="url"
        label={t.address}
        hint={kept === null ? t.addressHint : <bdi>{joinSentences([kept, t.addressHint])}</bdi>}
        value={submitted.url}
        errors={errors.url}
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
      <ChoiceGroup id="kind" legend={t.kind} errors={errors.kind}>
        {webhookKinds.map((kind) => (
          <Choice
            key={kind}
            type="radio"
            id={`kind-${kind}`}
            name="kind"
            value={kind}
            checked={submitted.kind === kind}
            {...t.formats[kind]}
          />
        ))}
      </ChoiceGroup>
      <ChoiceGroup id="events" legend={t.events} errors={errors.events}>
        <Choice
          type="radio"
          id="all-events"
          name="subscription"
          value="all"
          checked={takesAll}
          label={t.allEvents}
          hint={t.allEventsHint}
        />
        <Choice
          type="radio"
          id="some-events"
          name="subscription"
          value="selected"
          checked={!takesAll}
          label={t.someEvents}
        >
          {groupsOf(ofApp ? appEventTypes : eventTypes).map(([subject, types]) => (
            <fieldset key={subject} class="choices">
              <legend>{t.eventSubjects[subject]}</legend>
              {types.map((type) => (
                <Choice
                  key={type}
                  type="checkbox"
                  id={`event-${type}`}
                  name="event"
                  value={type}
                  checked={submitted.events.includes(type)}
                  label={t.eventNames[type]}
                  hint={type}
                />
              ))}
            </fieldset>
          ))}
        </Choice>
      </ChoiceGroup>
    </>
  );
}

type Subject = EventType extends `${infer First}.${string}` ? First : never;

/** Groups events by subject, in order. */
function groupsOf(types: readonly EventType[]): [Subject, EventType[]][] {
  const groups = new Map<Subject, EventType[]>();
  for (const type of types) {
    const subject = type.split('.', 1)[0] as Subject;
    groups.set(subject, [...(groups.get(subject) ?? []), type]);
  }
  return [...groups];
}
