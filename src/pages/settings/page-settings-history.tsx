import { pageSettingsPath } from '../../apps/app-paths.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { Badge } from '../../web/components/callout.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { markdownExcerpt } from '../../web/components/markdown.ts';
import { Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { pageBuildPath } from '../page-paths.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PublishHistoryProps {
  frame: PageFrame;
  page: DistributionPage;
  served: readonly DistributionUpdate[];
  olderAddress: string | null;
}

const t = pageSettingsTexts;
const maxNoteExcerpt = 160;

/** Lists each build once, with buttons to withdraw and restore it. */
export function PublishHistory(props: PublishHistoryProps) {
  return (
    <section aria-labelledby="served">
      <h2 id="served">{t.history}</h2>
      <p class="hint lead-hint">{t.historyHint}</p>
      <ol class="served" reversed>
        {props.served.map((update) => (
          <ServedBuild key={update.id} update={update} {...props} />
        ))}
      </ol>
      <Paging links={{ newer: null, older: props.olderAddress }} label={t.historyMore} />
    </section>
  );
}

function ServedBuild({ update, page, frame }: PublishHistoryProps & { update: DistributionUpdate }) {
  const isCurrent = update.buildId === page.buildId;
  const note = markdownExcerpt(update.releaseNote, maxNoteExcerpt);
  return (
    <li>
      <p class="build-title">
        <a class="version" href={pageBuildPath(page.accessKey, update.revision)}>
          <bdi>{versionText(update)}</bdi>
        </a>
        <span class="secondary">{texts.app.revision(update.revision)}</span>
        {isCurrent && <Badge tone="good">{t.current}</Badge>}
        {update.withdrawn && !isCurrent && <Badge tone="warning">{t.withdrawn}</Badge>}
        <span class="secondary fine">
          <Timestamp at={update.createdAt} now={frame.now} />
        </span>
      </p>
      {!isCurrent && <WithdrawForm update={update} page={page} frame={frame} />}
      {note !== '' && (
        <p class="hint" dir="auto">
          {note}
        </p>
      )}
      {isCurrent && <p class="hint">{t.currentHint}</p>}
    </li>
  );
}

function WithdrawForm(props: { update: DistributionUpdate; page: DistributionPage; frame: PageFrame }) {
  const { revision, withdrawn } = props.update;
  return (
    <form
      method="post"
      action={`${pageSettingsPath(props.page.accessKey)}/${withdrawn ? 'restore' : 'withdraw'}`}
    >
      <FormHead frame={props.frame} />
      <input type="hidden" name="revision" value={String(revision)} />
      <button
        class="button button-small"
        type="submit"
        aria-label={withdrawn ? t.offerOf(revision) : t.withdrawOf(revision)}
      >
        {withdrawn ? t.offer : t.withdraw}
      </button>
    </form>
  );
}
