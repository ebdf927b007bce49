/** The Feedback tab of an app: feedback from testers, newest first. */

import { type AppHead, renderAppArea } from '../apps/app-head.tsx';
import { appFeedbackPath, appPagesPath, revisionPath } from '../apps/app-paths.ts';
import { appTexts } from '../apps/app-texts.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { Badge, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { excerpt, formatCount } from '../web/components/formats.ts';
import { Glyph } from '../web/components/glyph.tsx';
import { isolated } from '../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../web/components/paging.tsx';
import { Timestamp } from '../web/components/timestamp.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import {
  type FeedbackFilter,
  type FeedbackStatus,
  feedbackStatuses,
  type ListedFeedback,
} from './feedback.ts';
import { feedbackPath, filterQuery } from './feedback-paths.ts';
import { feedbackTexts } from './feedback-texts.ts';

export interface InboxProps {
  frame: PageFrame;
  head: AppHead;
  feedback: readonly ListedFeedback[];
  filter: FeedbackFilter;
  counts: Readonly<Record<FeedbackStatus, number>>;
  /** Revisions with feedback. */
  builds: readonly number[];
  paging: PageLinks;
  done: string | null;
}

const t = feedbackTexts.inbox;
const tones: Readonly<Record<FeedbackStatus, Tone>> = {
  new: 'warning',
  'in-progress': 'plain',
  closed: 'good',
};
const maxExcerpt = 120;

export function StatusBadge({ status }: { status: FeedbackStatus }) {
  return <Badge tone={tones[status]}>{feedbackTexts.statuses[status]}</Badge>;
}

export function renderInbox(props: InboxProps): string {
  const { frame, head, feedback, filter, counts } = props;
  const { app } = head;
  const hasAny = Object.values(counts).some((count) => count > 0);
  const isFiltered = filter.status !== null || filter.revision !== null;
  return renderAppArea({
    frame,
    head,
    tab: 'feedback',
    title: t.title,
    line: t.line,
    done: props.done,
    actions: hasAny && <Exports {...props} />,
    children: (
      <>
        {(hasAny || isFiltered) && <Filters {...props} />}
        {feedback.length > 0 ? (
          <FeedbackTable {...props} />
        ) : isFiltered ? (
          <EmptyState title={t.noneFiltered}>
            <a class="button" href={appFeedbackPath(app)}>
              {t.clear}
            </a>
          </EmptyState>
        ) : (
          <EmptyState title={t.none}>
            <p class="soft">{t.noneLine}</p>
            <a class="button" href={appPagesPath(app)}>
              {t.pages}
            </a>
          </EmptyState>
        )}
        <Paging links={props.paging} label={t.paging} />
      </>
    ),
  });
}

function Exports({ head, filter }: InboxProps) {
  const path = appFeedbackPath(head.app);
  return (
    <>
      <a class="button" href={`${path}.csv${filterQuery(filter)}`}>
        <Glyph name="download" />
        {t.csv}
      </a>
      <a class="button hide-phone" href={`${path}.jsonl${filterQuery(filter)}`}>
        {t.jsonl}
      </a>
    </>
  );
}

function Filters({ head, filter, counts, builds }: InboxProps) {
  const path = appFeedbackPath(head.app);
  const address = (change: Partial<FeedbackFilter>) => `${path}${filterQuery({ ...filter, ...change })}`;
  return (
    <div class="filters">
      <nav class="segments" aria-label={t.filterByStatus}>
        {[null, ...feedbackStatuses].map((status) => (
          <a
            key={status}
            href={address({ status })}
            aria-current={filter.status === status ? 'page' : undefined}
          >
            {status === null ? t.all : feedbackTexts.statuses[status]}
            {status !== null && <span class="pill">{formatCount(counts[status])}</span>}
          </a>
        ))}
      </nav>
      {(builds.length > 1 || filter.revision !== null) && (
        <div class="filter-row">
          <details class="menu">
            <summary class={filter.revision === null ? 'button filter' : 'button filter filter-on'}>
              {filter.revision === null
                ? t.filterByBuild
                : texts.labeled({
                    label: t.filterByBuild,
                    value: appTexts.app.revision({ revision: filter.revision }),
                    name: isolated,
                  })}
              <Glyph name="chevronDown" />
            </summary>
            <div class="menu-list menu-start">
              <a class="menu-item" href={address({ revision: null })}>
                {t.anyBuild}
              </a>
              {builds.map((revision) => (
                <a
                  key={revision}
                  class="menu-item"
                  href={address({ revision })}
                  aria-current={filter.revision === revision ? 'true' : undefined}
                >
                  {appTexts.app.revision({ revision })}
                </a>
              ))}
            </div>
          </details>
        </div>
      )}
    </div>
  );
}

function FeedbackTable({ frame, head, feedback }: InboxProps) {
  return (
    <div class="panel">
      <table class="table cards cards-beside table-fixed feedback-list">
        <caption class="unseen">{t.title}</caption>
        <thead>
          <tr>
            <th scope="col">{t.feedback}</th>
            <th scope="col" class="c-build">
              {t.build}
            </th>
            <th scope="col" class="c-device hide-medium">
              {t.device}
            </th>
            <th scope="col" class="c-status">
              {t.status}
            </th>
            <th scope="col" class="c-received">
              {t.received}
            </th>
          </tr>
        </thead>
        <tbody>
          {feedback.map((one) => (
            <FeedbackRow key={one.id} frame={frame} head={head} feedback={one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FeedbackRow(props: { frame: PageFrame; head: AppHead; feedback: ListedFeedback }) {
  const { frame, feedback } = props;
  const { app } = props.head;
  const { revision, screenshots } = feedback;
  return (
    <tr>
      <th scope="row">
        <span class="line-1">
          <a class="plain strong" href={feedbackPath(app, feedback.id)}>
            <bdi>{excerpt(feedback.text, maxExcerpt)}</bdi>
          </a>
        </span>
        <span class="cut line-2">
          <bdi>{feedback.sender ?? feedback.email ?? t.anonymous}</bdi>
          {screenshots > 0 && ` · ${t.screenshots({ count: screenshots })}`}
        </span>
      </th>
      <td>
        <a class="plain" href={revisionPath(app.owner, app.platform, app.packageName, revision)}>
          <bdi>{versionText(feedback)}</bdi>
        </a>{' '}
        <span class="revision">{appTexts.app.revision({ revision })}</span>
      </td>
      <td class="soft hide-medium">
        <bdi>{feedback.device}</bdi>
      </td>
      <td class="beside">
        <StatusBadge status={feedback.status} />
      </td>
      <td class="soft" data-label={t.received}>
        <Timestamp at={feedback.createdAt} now={frame.now} />
      </td>
    </tr>
  );
}
