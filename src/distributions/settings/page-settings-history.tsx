/** The builds that a page has served. */

import type { AppHead } from '../../apps/app-head.tsx';
import { pageSettingsPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { Badge } from '../../web/components/callout.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { markdownExcerpt, renderMarkdown } from '../../web/components/markdown.ts';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { pageBuildPath } from '../page-paths.ts';
import { renderSettingsPart, type SettingsPlace } from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PublishHistoryProps {
  frame: PageFrame;
  head: AppHead;
  page: DistributionPage;
  served: readonly DistributionUpdate[];
  /** Path of the complete history if only its start is shown. */
  allAddress: string | null;
  /** Shows the notes as testers see them, shortened. */
  hasNotes?: boolean;
}

const t = pageSettingsTexts;
const maxNoteExcerpt = 160;
const maxNoteBytes = 2_000;

export function renderPageHistory(
  props: SettingsPlace & { served: readonly DistributionUpdate[]; paging: PageLinks },
): string {
  return renderSettingsPart(
    props,
    'history',
    <>
      <PublishHistory {...props} allAddress={null} hasNotes />
      <Paging links={props.paging} label={t.historyMore} />
    </>,
  );
}

/** Lists each build once, with buttons to roll back to it, withdraw it and restore it. */
export function PublishHistory(props: PublishHistoryProps) {
  return (
    <section class="section" aria-labelledby="served">
      <div class="section-head">
        <h2 id="served">{t.history}</h2>
        {props.allAddress && (
          <a class="fine" href={props.allAddress}>
            {t.historyAll}
          </a>
        )}
        <p class="hint">{t.historyHint}</p>
      </div>
      <ol class="panel served" reversed>
        {props.served.map((update) => (
          <ServedBuild key={update.id} update={update} {...props} />
        ))}
      </ol>
    </section>
  );
}

function ServedBuild(props: PublishHistoryProps & { update: DistributionUpdate }) {
  const { update, page, frame, hasNotes } = props;
  const isCurrent = update.buildId === page.buildId;
  return (
    <li>
      <p class="build-title">
        <a class="version" href={pageBuildPath(page.accessKey, update.revision)}>
          <bdi>{versionText(update)}</bdi>
        </a>
        <span class="secondary">{appTexts.app.revision({ revision: update.revision })}</span>
        {isCurrent && <Badge tone="good">{t.current}</Badge>}
        {update.withdrawn && !isCurrent && <Badge tone="warning">{t.withdrawn}</Badge>}
        <span class="secondary fine">
          <Timestamp at={update.createdAt} now={frame.now} />
        </span>
      </p>
      <Note text={update.releaseNote} isWhole={hasNotes ?? false} />
      {!isCurrent && (
        <div class="served-actions">
          <a
            class="button"
            href={`#${rollBackId(update)}`}
            aria-label={t.rollBackOf({ revision: update.revision })}
          >
            {t.rollBack}
          </a>
          <WithdrawForm update={update} page={page} frame={frame} />
        </div>
      )}
      {isCurrent && <p class="hint">{t.currentHint}</p>}
      {!isCurrent && <RollBackForm {...props} />}
    </li>
  );
}

function Note({ text, isWhole }: { text: string; isWhole: boolean }) {
  if (text.trim() === '') return null;
  if (isWhole) {
    const html = renderMarkdown(text, maxNoteBytes);
    return <div class="note fine" dangerouslySetInnerHTML={{ __html: html }} />;
  }
  return (
    <p class="hint cut" dir="auto">
      {markdownExcerpt(text, maxNoteExcerpt)}
    </p>
  );
}

const rollBackId = ({ revision }: DistributionUpdate) => `roll-back-${revision}`;

/** Opened by a link in the row above it, without scripts. */
function RollBackForm(props: PublishHistoryProps & { update: DistributionUpdate }) {
  const { update, page, frame, head, served } = props;
  const live = served.find(({ buildId }) => buildId === page.buildId);
  const isDowngrade =
    head.app.platform === 'android' && (!live || Number(update.versionCode) < Number(live.versionCode));
  return (
    <PostForm
      frame={frame}
      class="callout callout-warning roll-back"
      id={rollBackId(update)}
      action={`${pageSettingsPath(page.accessKey)}/roll-back`}
    >
      <input type="hidden" name="revision" value={String(update.revision)} />
      <p>
        <strong class="callout-title">
          {t.rollBackTitle({ page: page.name, version: versionText(update) })}
        </strong>{' '}
        {joinSentences(isDowngrade ? [t.rollBackHint, t.rollBackDowngrade] : [t.rollBackHint])}
      </p>
      <p class="served-actions">
        <SubmitButton label={t.rollBackNow} tone="primary" />
        <a class="button" href="#served">
          {t.cancel}
        </a>
      </p>
    </PostForm>
  );
}

function WithdrawForm(props: { update: DistributionUpdate; page: DistributionPage; frame: PageFrame }) {
  const { revision, withdrawn } = props.update;
  return (
    <PostForm
      frame={props.frame}
      action={`${pageSettingsPath(props.page.accessKey)}/${withdrawn ? 'restore' : 'withdraw'}`}
    >
      <input type="hidden" name="revision" value={String(revision)} />
      <button
        class="button"
        type="submit"
        aria-label={withdrawn ? t.offerOf({ revision }) : t.withdrawOf({ revision })}
      >
        {withdrawn ? t.offer : t.withdraw}
      </button>
    </PostForm>
  );
}
