/** One delivery of a webhook: its event, and the request and response of each attempt. */
import type { ComponentChildren } from 'preact';
import { CodeBlock } from '../web/components/code-block.tsx';
import { Facts } from '../web/components/facts.tsx';
import { PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { LivePart } from '../web/components/live-part.tsx';
import { linkTo } from '../web/components/message-tags.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { deliveryBody } from './payload/webhook-json.ts';
import type { DeliveryAttempt, Webhook, WebhookDelivery } from './webhook.ts';
import {
  DeliveryBadge,
  eventName,
  factsOf,
  isRepeatable,
  NextAttempt,
  Outcome,
} from './webhook-deliveries.tsx';
import { renderWebhookFrame, type WebhookPageParent } from './webhook-frame.tsx';
import { deliveryPath, webhookPath, webhooksPath } from './webhook-paths.ts';
import { durationText, webhookTexts } from './webhook-texts.ts';

export interface DeliveryPageProps {
  frame: PageFrame;
  home: WebhookPageParent;
  webhook: Webhook;
  delivery: WebhookDelivery;
  /** Public origin of links; null if there is none. */
  origin: string | null;
  done: string | null;
}

const t = webhookTexts.delivery;

export function renderDeliveryPage(props: DeliveryPageProps): string {
  const { frame, home, webhook, delivery } = props;
  const attempts = delivery.attemptLog.toReversed();
  return renderWebhookFrame({
    frame,
    home,
    title: eventName(delivery),
    done: props.done,
    line: (
      <span class="with-badge">
        <a href={webhooksPath(home)}>{webhookTexts.title}</a>
        <a href={webhookPath(home, webhook.id)}>
          <bdi>{webhook.name || webhook.shownAddress}</bdi>
        </a>
        <DeliveryBadge delivery={delivery} />
      </span>
    ),
    children: (
      <>
        <LivePart id="delivery" pending={delivery.state === 'waiting'}>
          <div class="section">
            <DeliveryFacts {...props} />
            <Resend {...props} />
          </div>
          <section class="section" aria-labelledby="attempts">
            <h2 id="attempts">{t.attempts}</h2>
            {attempts.length === 0 ? (
              <p class="secondary">{t.noAttempts}</p>
            ) : (
              <ol class="link-list" reversed>
                {attempts.map((attempt, index) => (
                  <li key={attempt.at}>
                    <Attempt frame={frame} webhook={webhook} attempt={attempt} isLast={index === 0} />
                  </li>
                ))}
              </ol>
            )}
          </section>
        </LivePart>
        <section class="section" aria-labelledby="body">
          <h2 id="body">{t.body}</h2>
          <CodeBlock
            text={withLineBreaks(deliveryBody(webhook, delivery, props.origin))}
            label={webhookTexts.formats.json.label}
          />
        </section>
      </>
    ),
  });
}

const withLineBreaks = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

function DeliveryFacts({ frame, delivery }: DeliveryPageProps) {
  const { app, build, page } = factsOf(delivery);
  const link = (path: string | null, text: string): ComponentChildren =>
    path === null ? <bdi>{text}</bdi> : linkTo(path)(text);
  return (
    <Facts
      facts={[
        { label: t.app, value: app && link(app.path, app.name) },
        {
          label: t.build,
          value:
            build &&
            link(build.path, `${build.versionName ?? ''} (${build.versionCode}) #${build.revision}`.trim()),
        },
        { label: t.page, value: page && link(page.path, page.name) },
        {
          label: t.outcome,
          value: (
            <>
              <Outcome delivery={delivery} />
              <NextAttempt delivery={delivery} now={frame.now} />
            </>
          ),
        },
        { label: t.created, value: <Timestamp at={delivery.createdAt} now={frame.now} exact /> },
        { label: t.id, value: <code class="machine">{delivery.id}</code> },
      ]}
    />
  );
}

function Resend({ frame, home, webhook, delivery }: DeliveryPageProps) {
  if (webhook.state !== 'on' || !isRepeatable(delivery)) return null;
  return (
    <PostForm frame={frame} class="actions" action={`${deliveryPath(home, webhook.id, delivery.id)}/retry`}>
      <input type="hidden" name="to" value="delivery" />
      <SubmitButton label={webhookTexts.again} />
    </PostForm>
  );
}

function Attempt(props: { frame: PageFrame; webhook: Webhook; attempt: DeliveryAttempt; isLast: boolean }) {
  const { frame, webhook, attempt, isLast } = props;
  const { at, status, fault, detail, durationMs, headers, answer } = attempt;
  const outcome =
    status === null ? webhookTexts.deliveryErrors[fault ?? 'unreachable'] : webhookTexts.answered({ status });
  return (
    <details class="delivery-attempt" open={isLast}>
      <summary>
        {outcome} <span class="secondary fine">{durationText(durationMs)}</span>{' '}
        <span class="secondary fine">
          <Timestamp at={at} now={frame.now} exact />
        </span>
      </summary>
      {detail && (
        <p>
          <code class="machine" dir="auto">
            {detail}
          </code>
        </p>
      )}
      <h3>{t.request}</h3>
      <Headers first={`POST ${webhook.shownAddress}`} headers={headers} />
      {answer && (
        <>
          <h3>{t.answer}</h3>
          <Headers first={`HTTP ${status}`} headers={answer.headers} />
          {answer.body === null ? (
            <p class="secondary fine">{t.noBody}</p>
          ) : (
            <pre class="scroll machine" dir="auto">
              {answer.body}
            </pre>
          )}
        </>
      )}
    </details>
  );
}

function Headers({ first, headers }: { first: string; headers: Readonly<Record<string, string>> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <pre class="scroll machine" dir="ltr">
      {[first, ...lines].join('\n')}
    </pre>
  );
}
