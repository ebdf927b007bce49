/** The last deliveries of a webhook, each with its event. */
import { messageAt } from '../core/language/catalog.ts';
import { Badge, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { formatTimestamp } from '../web/components/formats.ts';
import { LivePart } from '../web/components/live-part.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import type { EventFacts } from './payload/event-facts.ts';
import { eventSubject } from './payload/event-text.ts';
import { type DeliveryState, maxShownDeliveries, type WebhookDelivery } from './webhook.ts';
import { durationText, webhookTexts } from './webhook-texts.ts';

const t = webhookTexts;
const minuteMs = 60_000;
const tones: Record<DeliveryState, Tone> = {
  waiting: 'warning',
  sent: 'good',
  dead: 'danger',
  stopped: 'plain',
};

export interface DeliveriesProps {
  frame: PageFrame;
  /** Path of the webhook. */
  address: string;
  /** Whether a test can be sent. */
  testable: boolean;
  /** Whether settled deliveries can be resent. */
  repeatable: boolean;
  /** Newest first. */
  deliveries: readonly WebhookDelivery[];
}

export function Deliveries(props: DeliveriesProps) {
  const { frame, address, deliveries, repeatable } = props;
  return (
    <section aria-labelledby="deliveries">
      <div class="section-head">
        <h2 id="deliveries">{t.deliveries}</h2>
        {props.testable && (
          <PostForm frame={frame} action={`${address}/test`}>
            <SubmitButton label={t.test} title={t.testLine} />
          </PostForm>
        )}
      </div>
      <LivePart id="delivery-list" pending={deliveries.some(({ state }) => state === 'waiting')}>
        {deliveries.length === 0 ? (
          <EmptyState title={t.noDeliveries}>
            <p class="secondary">{t.noDeliveriesLine}</p>
          </EmptyState>
        ) : (
          <>
            <ul class="link-list">
              {deliveries.map((delivery) => (
                <Line
                  key={delivery.id}
                  frame={frame}
                  address={address}
                  repeatable={repeatable}
                  delivery={delivery}
                />
              ))}
            </ul>
            {deliveries.length === maxShownDeliveries && (
              <p class="hint after-list">{t.deliveriesLine({ shown: maxShownDeliveries })}</p>
            )}
          </>
        )}
      </LivePart>
    </section>
  );
}

function Line(props: { frame: PageFrame; address: string; repeatable: boolean; delivery: WebhookDelivery }) {
  const { frame, address, repeatable, delivery } = props;
  const event = eventName(delivery);
  const path = `${address}/deliveries/${encodeURIComponent(delivery.id)}`;
  const subject = eventSubject(factsOf(delivery));
  return (
    <li>
      <span class="line">
        <span>
          <a href={path}>{event}</a>{' '}
          <span class="fine secondary">
            <Timestamp at={delivery.createdAt} now={frame.now} />
          </span>
        </span>
        <DeliveryBadge delivery={delivery} />
      </span>
      {subject.length > 0 && (
        <ul class="trail">
          {subject.map((part) => (
            <li key={part}>
              <bdi>{part}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div class="line">
        <span class="fine secondary">
          <Outcome delivery={delivery} />
          <NextAttempt delivery={delivery} now={frame.now} />
        </span>
        {repeatable && isRepeatable(delivery) && (
          <PostForm frame={frame} action={`${path}/retry`}>
            <button
              class="quiet fine"
              type="submit"
              aria-label={t.againOf({ event, at: formatTimestamp(delivery.createdAt) })}
            >
              {t.again}
            </button>
          </PostForm>
        )}
      </div>
    </li>
  );
}

export const DeliveryBadge = ({ delivery: { state } }: { delivery: WebhookDelivery }) => (
  <Badge tone={tones[state]}>{t.deliveryStates[state]}</Badge>
);

/** After a downgrade, rows may have events that this version does not know. */
export const eventName = ({ event }: WebhookDelivery): string => messageAt(t.eventNames, event) ?? event;

export const factsOf = ({ facts }: WebhookDelivery) => JSON.parse(facts) as EventFacts;

/** A test is not resent; a new test is sent instead. */
export const isRepeatable = ({ state, event }: WebhookDelivery) => state !== 'waiting' && event !== 'test';

export function NextAttempt({ delivery, now }: { delivery: WebhookDelivery; now: number }) {
  const { state, attempts, dueAt } = delivery;
  if (state !== 'waiting' || attempts === 0) return null;
  return (
    <>
      {' · '}
      {dueAt <= now + minuteMs ? t.nextTrySoon : t.nextTry({ time: timeOf(dueAt, now) })}
    </>
  );
}

/** Formats the last attempt: `HTTP 200 · 84 ms · 2 attempts`. */
export function Outcome({ delivery }: { delivery: WebhookDelivery }) {
  const { status, fault, durationMs, attempts, attemptLog } = delivery;
  const detail = attemptLog.at(-1)?.detail;
  const parts = [
    ...(status === null ? [] : [t.answered({ status })]),
    ...(fault === null ? [] : [detail || t.deliveryErrors[fault]]),
    ...(durationMs === null ? [] : [durationText(durationMs)]),
    t.attempts({ count: attempts }),
  ];
  return <>{parts.join(' · ')}</>;
}
