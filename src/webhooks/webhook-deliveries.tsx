/** The last deliveries of a webhook. Shows status and time of a response, but never its content. */
import { messageAt } from '../core/language/catalog.ts';
import { Badge, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { FormHead } from '../web/components/form-field.tsx';
import { formatTimestamp } from '../web/components/formats.ts';
import { LivePart } from '../web/components/live-part.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
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
          <form method="post" action={`${address}/test`}>
            <FormHead frame={frame} />
            <button class="button" type="submit" title={t.testLine}>
              {t.test}
            </button>
          </form>
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
                  address={repeatable ? address : null}
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

function Line(props: { frame: PageFrame; address: string | null; delivery: WebhookDelivery }) {
  const { frame, address, delivery } = props;
  // After a downgrade, rows can have events that this version does not know.
  const event = messageAt(t.eventNames, delivery.event) ?? delivery.event;
  const settled = delivery.state !== 'waiting' && delivery.event !== 'test';
  return (
    <li>
      <span class="line">
        <span>
          {event}{' '}
          <span class="fine secondary">
            <Timestamp at={delivery.createdAt} now={frame.now} />
          </span>
        </span>
        <Badge tone={tones[delivery.state]}>{t.deliveryStates[delivery.state]}</Badge>
      </span>
      <div class="line">
        <span class="fine secondary">
          <Outcome delivery={delivery} />
          {delivery.state === 'waiting' && delivery.attempts > 0 && (
            <>
              {' · '}
              {delivery.dueAt <= frame.now + minuteMs
                ? t.nextTrySoon
                : t.nextTry({ time: timeOf(delivery.dueAt, frame.now) })}
            </>
          )}
        </span>
        {address !== null && settled && (
          <form method="post" action={`${address}/deliveries/${encodeURIComponent(delivery.id)}/retry`}>
            <FormHead frame={frame} />
            <button
              class="quiet fine"
              type="submit"
              aria-label={t.againOf({ event, at: formatTimestamp(delivery.createdAt) })}
            >
              {t.again}
            </button>
          </form>
        )}
      </div>
    </li>
  );
}

/** Formats the last attempt: `HTTP 200 · 84 ms · 2 attempts`. */
export function Outcome({ delivery }: { delivery: WebhookDelivery }) {
  const { status, fault, durationMs, attempts } = delivery;
  const parts = [
    ...(status === null ? [] : [t.answered({ status })]),
    ...(fault === null ? [] : [t.deliveryErrors[fault]]),
    ...(durationMs === null ? [] : [durationText(durationMs)]),
    t.attempts({ count: attempts }),
  ];
  return <>{parts.join(' · ')}</>;
}
