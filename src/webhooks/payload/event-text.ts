/** Text of chat messages, independent of the chat format. */
import { formatRanges } from '../../apps/retention/retention.ts';
import { excerpt } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { DeliveredEvent } from '../webhook.ts';
import { webhookTexts } from '../webhook-texts.ts';
import type { EventFacts } from './event-facts.ts';

export interface EventText {
  /** One-line summary. */
  title: string;
  /** Text by the uploader. May be empty. */
  note: string;
  /** Origin details, such as `branch main`. */
  details: string[];
  /** Link, or null without a public origin. */
  link: { label: string; address: string } | null;
}

const maxChatNoteCharacters = 1000;
const reportedRanges = 12;
const t = webhookTexts.chat;

export function eventText(facts: EventFacts, origin: string | null): EventText {
  const { app, build, page, deletion, goneOwner, feedback } = facts;
  const path = feedback?.path ?? page?.path ?? build?.path ?? app?.path ?? null;
  const by = feedback ? feedback.sender : (build?.uploadedBy ?? deletion?.by ?? goneOwner?.by);

  return {
    title: titleOf(facts),
    note: goneOwner
      ? t.last
      : excerpt(feedback?.text || page?.releaseNote || build?.message || '', maxChatNoteCharacters),
    details: [
      ...detail(t.by, by),
      ...detail(t.device, feedback?.device),
      ...detail(t.page, page?.name),
      ...detail(t.branch, build?.branch),
      ...detail(t.commit, build?.commit?.slice(0, 12)),
      ...detail(t.label, build?.label),
    ],
    link:
      origin === null || path === null || facts.event === 'test'
        ? null
        : { label: feedback ? t.read : page ? t.install : t.look, address: `${origin}${path}` },
  };
}

/** What the event is about, without what happened: an app, its build and page; or a person, a device or a key. */
export function eventSubject({ app, build, page, deletion, goneOwner, current }: EventFacts): string[] {
  if (goneOwner && !app) return [goneOwner.name];
  if (!app) return current ? [ownerSubject(current)].filter(Boolean) : [];
  const revisions = deletion?.revisions.length
    ? [`#${formatRanges(deletion.revisions, reportedRanges, deletion.count)}`]
    : [];
  const pageName = page?.name ?? current?.data.page?.name;
  return [
    build ? `${app.name} ${versionOf(build)}` : app.name,
    texts.platforms[app.platform],
    ...revisions,
    ...(pageName === undefined ? [] : [pageName]),
  ];
}

const versionOf = ({ versionName, versionCode, revision }: NonNullable<EventFacts['build']>) =>
  `${versionName ?? ''} (${versionCode}) #${revision}`.trim();

function ownerSubject({ data: { device, person, key } }: NonNullable<EventFacts['current']>): string {
  return device ? device.name || device.product : (person?.name ?? key?.name ?? '');
}

const detail = (text: (values: { name: string }) => string, name: string | null | undefined) =>
  name ? [text({ name })] : [];

function titleOf({ event, app, build, page, deletion, goneOwner, current }: EventFacts): string {
  const named = app ? `${app.name} (${texts.platforms[app.platform]})` : '';
  if (goneOwner) {
    const { kind, name, apps, builds } = goneOwner;
    const sentence = ownerDeletedText(kind, { name, apps, builds });
    return app ? t.goneWith({ app: named, sentence }) : sentence;
  }
  if (!app && current) return ownerTitle(event, current);
  if (event === 'test' || !app) return named ? t.testOf({ app: named }) : t.test;
  if (deletion) {
    const { revisions, count, withApp } = deletion;
    return withApp
      ? t.appDeleted({ app: named, count })
      : t.deleted({ app: named, count, revisions: formatRanges(revisions, reportedRanges, count) });
  }
  const version = build ? versionOf(build) : '';
  const subject = { subject: `${app.name} ${version}`, platform: texts.platforms[app.platform] };
  const served = { ...subject, page: page?.name ?? current?.data.page?.name ?? '' };
  switch (event) {
    case 'build.verified':
      return current?.data.build?.signature_verified ? t.verified(subject) : t.notVerified(subject);
    case 'build.conversion_failed':
      return t.conversionFailed(subject);
    case 'build.edited':
      return t.edited(subject);
    case 'build.restored':
      return t.restored(subject);
    case 'page.created':
      return t.pageCreated(served);
    case 'page.published':
    case 'page.changed':
      return t.pageChanged(served);
    case 'page.rolled_back':
      return t.rolledBack(served);
    case 'page.note_changed':
      return t.noteChanged(served);
    case 'page.edited':
      return t.pageEdited({ ...served, app: named });
    case 'page.build_withdrawn':
      return t.withdrawn(served);
    case 'page.deleted':
      return t.pageDeleted({ ...served, app: named });
    case 'feedback.created':
      return t.feedback(subject);
    default:
      return t.uploaded(subject);
  }
}

/** Of an event of an owner itself. */
function ownerTitle(event: DeliveredEvent, current: NonNullable<EventFacts['current']>) {
  const { owner } = current;
  const name = ownerSubject(current);
  switch (event) {
    case 'device.registered':
      return t.deviceRegistered({ owner, name });
    case 'device.removed':
      return t.deviceRemoved({ owner, name });
    case 'member.added':
      return t.memberAdded({ owner, name });
    case 'member.changed':
      return t.memberChanged({ owner, name });
    case 'member.removed':
      return t.memberRemoved({ owner, name });
    case 'key.created':
      return t.keyCreated({ owner, name });
    case 'key.revoked':
      return t.keyRevoked({ owner, name });
    default:
      return t.test;
  }
}

function ownerDeletedText(
  kind: 'project' | 'user',
  { name, apps, builds }: { name: string; apps: number; builds: number },
): string {
  const { empty, full } = t.ownerDeleted[kind];
  return apps === 0 ? empty({ name }) : full({ name, apps, builds });
}
