/** The settings of trusted publishing of a User or Project, and the form of a publisher. */
import {
  publisherLimits,
  type TrustedPublisher,
} from '../../accounts/trusted-publishing/trusted-publisher.ts';
import { refusalText } from '../../accounts/trusted-publishing/trusted-publishing-texts.ts';
import type { TrustedProvider } from '../../owners/build-source.ts';
import type { Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import {
  newTrustedPublisherPath,
  trustedPublisherPath,
  trustedPublishingPath,
} from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Badge } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import { Confirm } from '../../web/components/form-field.tsx';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { texts } from '../../web/shell/texts.ts';
import { type PublisherField, providerFields, publisherValuesOf } from './publisher-form.ts';
import { publisherTexts } from './trusted-publishing-texts.ts';

const t = publisherTexts;

export interface Place {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  done: string | null;
}

export function renderPublishers(
  props: Place & { publishers: readonly TrustedPublisher[]; only: boolean; byPolicy: boolean },
): string {
  const { frame, owner, publishers, only, byPolicy } = props;
  return renderOwnerArea({
    ...props,
    part: 'settings',
    settings: 'trustedPublishing',
    title: t.title,
    line: t.line,
    children: (
      <>
        <div class="section-head">
          <h2 id="publishers">{t.list}</h2>
          {publishers.length > 0 && publishers.length < publisherLimits.perOwner && (
            <a class="button button-primary" href={newTrustedPublisherPath(owner)}>
              {t.add}
            </a>
          )}
        </div>
        {publishers.length === 0 ? (
          <EmptyState title={t.none}>
            <p class="secondary">{t.noneLine}</p>
            <p class="actions">
              <a class="button button-primary" href={newTrustedPublisherPath(owner)}>
                {t.add}
              </a>
            </p>
          </EmptyState>
        ) : (
          <ul class="link-list">
            {publishers.map((publisher) => (
              <Line key={publisher.id} frame={frame} owner={owner} publisher={publisher} />
            ))}
          </ul>
        )}
        {publishers.length >= publisherLimits.perOwner && (
          <p class="secondary">{t.full({ limit: publisherLimits.perOwner })}</p>
        )}
        <div class="panel after-list">
          <SettingsSection
            id="only"
            title={t.only.title}
            line={byPolicy ? t.only.ofWorkspace : only ? t.only.on : t.only.off}
          >
            {byPolicy && !only ? null : publishers.length === 0 && !only ? (
              <p class="secondary">{t.only.empty}</p>
            ) : (
              <OnlySwitch frame={frame} action={`${trustedPublishingPath(owner)}/require`} only={only} />
            )}
          </SettingsSection>
        </div>
      </>
    ),
  });
}

/** Requires trusted publishers, or no longer. */
export function OnlySwitch(props: { frame: PageFrame; action: string; only: boolean }) {
  const { frame, action, only } = props;
  return (
    <Confirm
      frame={frame}
      action={action}
      ask={only ? t.only.turnOff : t.only.turnOn}
      line={only ? t.only.turnOffLine : t.only.turnOnLine}
      buttonTone={only ? 'danger' : 'primary'}
      tone={only ? 'danger' : 'plain'}
    >
      <input type="hidden" name="only" value={only ? '' : 'yes'} />
    </Confirm>
  );
}

function Line({ frame, owner, publisher }: { frame: PageFrame; owner: Owner; publisher: TrustedPublisher }) {
  const { lastUsedAt, lastRefusal, lastRefusedAt, createdBy } = publisher;
  const added = publisher.creatorLeft ? t.addedByFormerMember : t.addedBy;
  return (
    <li>
      <span class="line">
        <a href={trustedPublisherPath(owner, publisher.id)}>
          <bdi>{publisher.name}</bdi>
        </a>
        <Badge>{t.providers[publisher.provider]}</Badge>
      </span>
      <Facts facts={wordsOf(publisher)} />
      <span class="fine secondary">
        {owner.kind === 'project' && createdBy !== null && (
          <>{added({ time: timeOf(publisher.createdAt, frame.now), user: createdBy, name: isolated })} · </>
        )}
        {lastUsedAt === null ? t.neverUsed : t.used({ time: timeOf(lastUsedAt, frame.now) })}
        {lastRefusedAt !== null && <> · {t.refused({ time: timeOf(lastRefusedAt, frame.now) })}</>}
      </span>
      {lastRefusal && isNewestRefusal(publisher) && (
        <p class="fine refusal" dir="auto">
          {refusalText(publisher.name, lastRefusal)}
        </p>
      )}
    </li>
  );
}

export const isNewestRefusal = ({ lastUsedAt, lastRefusedAt }: TrustedPublisher) =>
  (lastRefusedAt ?? 0) > (lastUsedAt ?? 0);

/** The rules and limits of a publisher. */
function wordsOf(publisher: TrustedPublisher): Fact[] {
  const { provider, app, pageNamePattern } = publisher;
  const values = publisherValuesOf(publisher);
  const code = (text: string) => text && <InlineCode text={text} />;
  return [
    ...providerFields[provider].map((one) => ({
      label: labelOf(provider, one),
      value:
        one.field === 'server' && provider === 'gitlab' && values.server === 'https://gitlab.com'
          ? null
          : code(values[one.field]),
    })),
    ...values.rules
      .split('\n')
      .map((line, at) => ({ label: at === 0 ? t.rule : `${t.rule} ${at + 1}`, value: code(line) })),
    { label: t.selfHosted, value: publisher.allowsSelfHosted ? texts.yes : null },
    { label: t.onlyApp, value: app && code(`${texts.platforms[app.platform]} · ${app.packageName}`) },
    { label: t.onlyPages, value: pageNamePattern && code(pageNamePattern) },
  ];
}

export function labelOf(provider: TrustedProvider, { field, write }: PublisherField): string {
  if (provider === 'other' && field === 'server') return t.issuer;
  if (provider === 'bitbucket' && field === 'repository') return t.uuid;
  if (provider === 'circleci' && (field === 'organization' || field === 'project')) return t.ids[field];
  return write || field !== 'server' ? t.fields[field] : t.fields.server;
}
