/** The text of chat messages, independent of the chat format. */
import { sourceText } from '../../apps/builds/build-facts.tsx';
import { formatRanges } from '../../apps/retention/retention.ts';
import { excerpt } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { DeliveredEvent } from '../webhook.ts';
import { webhookTexts } from '../webhook-texts.ts';
import type { EventFacts } from './event-facts.ts';

export interface EventText {
  /** A summary of one line. */
  title: string;
  /** Text by the uploader. May be empty. */
  note: string;
  /** Where the build comes from, such as `branch main`. */
  details: string[];
  /** Link; null without a public origin. */
  link: { label: string; address: string } | null;
}

const maxChatNoteCharacters = 1000;
const reportedRanges = 12;
const t = webhookTexts.chat;

export function eventText(facts: EventFacts, origin: string | null): EventText {
  const { app, build, page, deletion, goneOwner, feedback, checks } = facts;
  const path = feedback?.path ?? checks?.path ?? page?.path ?? build?.path ?? app?.path ?? null;
  const by = feedback ? feedback.sender : (build?.uploadedBy ?? deletion?.by ?? goneOwner?.by);

  return {
    title: titleOf(facts),
    note: goneOwner
      ? t.last
      : excerpt(
          feedback?.text || checks?.lines.join('\n') || page?.releaseNote || build?.message || '',
          maxChatNoteCharacters,
        ),
    details: [
      ...detail(t.by, by),
      ...detail(t.device, feedback?.device),
      ...detail(t.page, page?.name),
      ...detail(t.branch, build?.branch),
      ...(build?.source ? [sourceText(build.source)] : detail(t.commit, build?.commit?.slice(0, 12))),
      ...detail(t.label, build?.label),
    ],
    link:
      origin === null || path === null || facts.event === 'test'
        ? null
        : {
            label: feedback ? t.read : checks ? t.checks : page ? t.install : t.look,
            address: `${origin}${path}`,
          },
  };
}

/** Describes the subject of the event: an app with its build and page, or a person, a device, a key or a trusted publisher. */
export function eventSubject({ app, build, page, deletion, goneOwner, current }: EventFacts): string[] {
  if (goneOwner && !app) return [goneOwner.name];
  if (!app) return [ownerSubject(current)].filter(Boolean);
  const revisions = deletion?.revisions.length
    ? [`#${formatRanges(deletion.revisions, reportedRanges, deletion.count)}`]
    : [];
  const pageName = page?.name ?? current.data.page?.name;
  return [
    build ? `${app.name} ${versionOf(build)}` : app.name,
    texts.platforms[app.platform],
    ...revisions,
    ...(pageName === undefined ? [] : [pageName]),
  ];
}

const versionOf = ({ versionName, versionCode, revision }: NonNullable<EventFacts['build']>) =>
  `${versionName ?? ''} (${versionCode}) #${revision}`.trim();

function ownerSubject({ data }: EventFacts['current']): string {
  const { device, person, key, trusted_publisher: publisher } = data;
  return device ? device.name || device.product : ((person ?? key ?? publisher)?.name ?? '');
}

const detail = (text: (values: { name: string }) => string, name: string | null | undefined) =>
  name ? [text({ name })] : [];

interface TitleParts {
  facts: EventFacts;
  /** The app with its platform; empty if there is none. */
  app: string;
  build: { subject: string; platform: string };
  page: { subject: string; platform: string; page: string };
  /** For events of an owner: a device, a person, a key or a trusted publisher. */
  owned: { owner: string; name: string };
}

const titles: Readonly<Record<DeliveredEvent, (parts: TitleParts) => string>> = {
  'build.uploaded': ({ build }) => t.uploaded(build),
  'build.verified': ({ facts: { current }, build }) =>
    current.data.build?.signature_verified ? t.verified(build) : t.notVerified(build),
  'build.checked': ({ facts: { checks }, build }) => t.checked[checks?.summary ?? 'passed'](build),
  'build.conversion_failed': ({ build }) => t.conversionFailed(build),
  'build.edited': ({ build }) => t.edited(build),
  'build.deleted': ({ facts: { deletion }, app }) => {
    const { revisions = [], count = 0, withApp = false } = deletion ?? {};
    return withApp
      ? t.appDeleted({ app, count })
      : t.deleted({ app, count, revisions: formatRanges(revisions, reportedRanges, count) });
  },
  'build.restored': ({ build }) => t.restored(build),
  'page.created': ({ page }) => t.pageCreated(page),
  'page.published': ({ page }) => t.pageChanged(page),
  'page.rolled_back': ({ page }) => t.rolledBack(page),
  'page.note_changed': ({ page }) => t.noteChanged(page),
  'page.edited': ({ page, app }) => t.pageEdited({ ...page, app }),
  'page.build_withdrawn': ({ page }) => t.withdrawn(page),
  'page.deleted': ({ page, app }) => t.pageDeleted({ ...page, app }),
  'feedback.created': ({ build }) => t.feedback(build),
  'store_rule.approaching': ({ build }) => t.approaching(build),
  'device.registered': ({ owned }) => t.deviceRegistered(owned),
  'device.removed': ({ owned }) => t.deviceRemoved(owned),
  'member.added': ({ owned }) => t.memberAdded(owned),
  'member.changed': ({ owned }) => t.memberChanged(owned),
  'member.removed': ({ owned }) => t.memberRemoved(owned),
  'key.created': ({ owned }) => t.keyCreated(owned),
  'key.revoked': ({ owned }) => t.keyRevoked(owned),
  'trusted_publisher.created': ({ owned }) => t.publisherCreated(owned),
  'trusted_publisher.changed': ({ owned }) => t.publisherChanged(owned),
  'trusted_publisher.deleted': ({ owned }) => t.publisherDeleted(owned),
  'owner.deleted': ({ facts: { goneOwner } }) => (goneOwner ? ownerDeletedText(goneOwner) : t.last),
  test: ({ app }) => (app === '' ? t.test : t.testOf({ app })),
};

function titleOf(facts: EventFacts): string {
  const { event, app, build, page, goneOwner, current } = facts;
  const platform = app ? texts.platforms[app.platform] : '';
  const named = app ? `${app.name} (${platform})` : '';
  // For its apps, the deletion of an owner is the last event.
  if (goneOwner && app) return t.goneWith({ app: named, sentence: ownerDeletedText(goneOwner) });
  const subject = { subject: `${app?.name ?? ''} ${build ? versionOf(build) : ''}`, platform };
  return titles[event]({
    facts,
    app: named,
    build: subject,
    page: { ...subject, page: page?.name ?? current.data.page?.name ?? '' },
    owned: { owner: current.owner, name: ownerSubject(current) },
  });
}

function ownerDeletedText({ kind, name, apps, builds }: NonNullable<EventFacts['goneOwner']>): string {
  const { empty, full } = t.ownerDeleted[kind];
  return apps === 0 ? empty({ name }) : full({ name, apps, builds });
}
