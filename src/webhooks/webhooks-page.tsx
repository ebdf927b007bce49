import type { FieldErrors } from '../core/errors.ts';
import { Badge, Callout, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { maxWebhooksPerScope, type Webhook, type WebhookDelivery, type WebhookState } from './webhook.ts';
import { Outcome } from './webhook-deliveries.tsx';
import type { WebhookValues } from './webhook-form.ts';
import { WebhookFields } from './webhook-form-fields.tsx';
import { renderWebhookFrame, type WebhookPageParent } from './webhook-frame.tsx';
import { webhookPath, webhooksPath } from './webhook-paths.ts';
import { webhookTexts } from './webhook-texts.ts';

export interface WebhooksPageProps {
  frame: PageFrame;
  home: WebhookPageParent;
  /** Oldest first, each with its newest delivery. */
  webhooks: readonly { webhook: Webhook; last: WebhookDelivery | null }[];
  hasOrigin: boolean;
  submitted: WebhookValues;
  errors: FieldErrors;
  done: string | null;
}

const t = webhookTexts;
const tones: Record<WebhookState, Tone> = { on: 'good', off: 'plain', gone: 'warning' };

export function WebhookStateBadge({ state }: { state: WebhookState }) {
  return <Badge tone={tones[state]}>{t.states[state]}</Badge>;
}

export function renderWebhooksPage(props: WebhooksPageProps): string {
  const { frame, home, webhooks } = props;
  return renderWebhookFrame({
    frame,
    home,
    title: t.title,
    done: props.done,
    line: home.app ? t.lineApp : t.lineOwner({ name: home.owner.name }),
    children: (
      <>
        <Callout tone="warning" title={t.noOriginTitle} sentences={props.hasOrigin ? [] : [t.noOrigin]} />
        <section aria-label={t.title}>
          {webhooks.length === 0 ? (
            <EmptyState title={t.none}>
              <p class="secondary">{t.noneLine}</p>
            </EmptyState>
          ) : (
            <ul class="link-list">
              {webhooks.map(({ webhook, last }) => (
                <Line key={webhook.id} frame={frame} home={home} webhook={webhook} last={last} />
              ))}
            </ul>
          )}
        </section>
        <section aria-labelledby="make">
          <h2 id="make">{t.add}</h2>
          {webhooks.length >= maxWebhooksPerScope ? (
            <p class="secondary">{t.full({ limit: maxWebhooksPerScope })}</p>
          ) : (
            <PostForm frame={frame} class="form" action={`${webhooksPath(home)}/create`} data-guard="">
              <WebhookFields
                submitted={props.submitted}
                errors={props.errors}
                shownAddress={null}
                ofApp={home.app !== null}
              />
              <p class="actions">
                <SubmitButton label={t.createButton} tone="primary" />
              </p>
            </PostForm>
          )}
        </section>
      </>
    ),
  });
}

function Line(props: {
  frame: PageFrame;
  home: WebhookPageParent;
  webhook: Webhook;
  last: WebhookDelivery | null;
}) {
  const { frame, home, webhook, last } = props;
  return (
    <li>
      <span class="line">
        <a href={webhookPath(home, webhook.id)}>
          <bdi>{webhook.name || webhook.shownAddress}</bdi>
        </a>
        <WebhookStateBadge state={webhook.state} />
      </span>
      <span class="under-title secondary fine">
        {webhook.name !== '' && <bdi>{webhook.shownAddress}</bdi>}
        <span>{t.formats[webhook.kind].label}</span>
      </span>
      <span class="fine secondary">
        {last === null
          ? t.neverSent
          : t.lastSent({
              time: timeOf(last.updatedAt, frame.now),
              outcome: () => <Outcome delivery={last} />,
            })}
      </span>
    </li>
  );
}
