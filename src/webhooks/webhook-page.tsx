import type { FieldErrors } from '../core/errors.ts';
import { Callout } from '../web/components/callout.tsx';
import { CodeBlock } from '../web/components/code-block.tsx';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { timeOf } from '../web/components/message-tags.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { oldSecretHours, type Webhook, type WebhookDelivery } from './webhook.ts';
import { Deliveries } from './webhook-deliveries.tsx';
import type { WebhookValues } from './webhook-form.ts';
import { WebhookFields } from './webhook-form-fields.tsx';
import { renderWebhookFrame, type WebhookPageParent } from './webhook-frame.tsx';
import { webhookPath, webhooksPath } from './webhook-paths.ts';
import { durationText, webhookTexts } from './webhook-texts.ts';
import { WebhookStateBadge } from './webhooks-page.tsx';

export type { WebhookPageParent } from './webhook-frame.tsx';

export interface WebhookPageProps {
  frame: PageFrame;
  home: WebhookPageParent;
  webhook: Webhook;
  /** Whether the URL and the secret can be decrypted. */
  readable: boolean;
  /** Newest first. */
  deliveries: readonly WebhookDelivery[];
  submitted: WebhookValues;
  errors: FieldErrors;
  /** The new secret, shown once. */
  secret: string | null;
  /** Whether a test was just sent, which is then the newest delivery. */
  tested: boolean;
  done: string | null;
}

const t = webhookTexts;

export function renderWebhookPage(props: WebhookPageProps): string {
  const { frame, home, webhook } = props;
  const address = webhookPath(home, webhook.id);
  return renderWebhookFrame({
    frame,
    home,
    title: webhook.name || t.unnamed,
    done: props.done,
    line: (
      <span class="with-badge">
        <a href={webhooksPath(home)}>{t.title}</a>
        <bdi>{webhook.shownAddress}</bdi>
        <WebhookStateBadge state={webhook.state} />
      </span>
    ),
    children: (
      <>
        {props.tested && <TestDeliveryResult delivery={props.deliveries[0]} />}
        {props.secret !== null && <NewSecretNotice {...props} secret={props.secret} />}
        <Callout
          tone="warning"
          title={t.goneTitle}
          sentences={webhook.state === 'gone' ? [t.goneLine] : []}
        />
        <Callout
          tone="danger"
          title={t.unreadableTitle}
          sentences={props.readable ? [] : [t.unreadableLine]}
        />
        <Deliveries
          frame={frame}
          address={address}
          testable={props.readable}
          repeatable={webhook.state === 'on'}
          deliveries={props.deliveries}
        />
        <SettingsForm {...props} address={address} />
        <section class="actions">
          {webhook.state === 'on' ? (
            <Confirm
              frame={frame}
              action={`${address}/pause`}
              ask={t.pause}
              line={t.pauseLine}
              button={t.pauseButton}
              buttonTone="primary"
              tone="plain"
            />
          ) : (
            <ActionForm frame={frame} action={`${address}/resume`} button={t.resumeButton} />
          )}
          {props.readable && (
            <Confirm
              frame={frame}
              action={`${address}/rotate-secret`}
              ask={t.newSecret}
              line={t.newSecretLine({ hours: oldSecretHours })}
              button={t.newSecretButton}
              buttonTone="primary"
              tone="plain"
            >
              <OldSecret webhook={webhook} now={frame.now} />
            </Confirm>
          )}
          <Confirm
            frame={frame}
            action={`${address}/delete`}
            ask={t.remove}
            line={t.removeLine}
            button={t.removeButton}
          />
        </section>
      </>
    ),
  });
}

function TestDeliveryResult({ delivery }: { delivery: WebhookDelivery | undefined }) {
  if (!delivery) return null;
  const { status, fault, state } = delivery;
  const time = durationText(delivery.durationMs ?? 0);
  const sentence =
    status === null
      ? t.tested.failed({ reason: fault === null ? '' : t.deliveryErrors[fault], time })
      : t.tested[state === 'sent' ? 'sent' : 'answered']({ status, time });
  return (
    <p class={`callout callout-${state === 'sent' ? 'good' : 'danger'}`} role="status">
      {sentence}
    </p>
  );
}

function OldSecret({ webhook, now }: { webhook: Webhook; now: number }) {
  const until = webhook.oldSecretUntil ?? 0;
  return until > now ? <p class="hint">{t.oldSecret({ time: timeOf(until, now, true) })}</p> : null;
}

function NewSecretNotice({ secret, webhook, frame }: WebhookPageProps & { secret: string }) {
  return (
    <section class="made-key" aria-labelledby="made">
      <h2 id="made">{t.madeTitle}</h2>
      <p role="status">{t.madeLine}</p>
      <CodeBlock text={secret} label={t.secretLabel} />
      <OldSecret webhook={webhook} now={frame.now} />
    </section>
  );
}

function SettingsForm({
  frame,
  home,
  webhook,
  submitted,
  errors,
  readable,
  address,
}: WebhookPageProps & { address: string }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{t.settings}</h2>
      <PostForm
        frame={frame}
        class="form"
        action={`${address}/save`}
        data-guard={Object.keys(errors).length > 0 ? 'changed' : ''}
      >
        <WebhookFields
          submitted={submitted}
          errors={errors}
          shownAddress={readable ? webhook.shownAddress : null}
          ofApp={home.app !== null}
        />
        <p class="actions">
          <SubmitButton label={t.save} tone="primary" />
        </p>
      </PostForm>
    </section>
  );
}

function ActionForm(props: { frame: PageFrame; action: string; button: string }) {
  return (
    <PostForm frame={props.frame} class="after-list" action={props.action}>
      <SubmitButton label={props.button} />
    </PostForm>
  );
}
