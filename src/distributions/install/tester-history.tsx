/** The publish history of the page, with a link to each build. */
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { Badge } from '../../web/components/callout.tsx';
import { markdownExcerpt } from '../../web/components/markdown.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { DistributionUpdate } from '../distribution-page.ts';
import { pageBuildPath } from '../page-paths.ts';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

const t = testerTexts;
/** Keeps the page small. The page of the build shows the whole note. */
const maxNoteExcerpt = 200;

export function TesterHistory(props: TesterPageProps) {
  const { history, update, newestAddress, olderAddress } = props;
  const isAlone = history.length === 1 && history[0]?.id === update.id;
  if (history.length === 0 || (isAlone && !newestAddress && !olderAddress)) return null;
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">{t.history}</h2>
      <ol>
        {history.map((one) => (
          <HistoryLine key={one.id} {...props} line={one} />
        ))}
      </ol>
      {(newestAddress || olderAddress) && (
        <nav class="paging" aria-label={t.historyMore}>
          {newestAddress ? <a href={newestAddress}>← {t.newest}</a> : <span />}
          {olderAddress && (
            <a href={olderAddress} rel="next">
              {texts.older} →
            </a>
          )}
        </nav>
      )}
    </section>
  );
}

function HistoryLine({ line, page, frame, update }: TesterPageProps & { line: DistributionUpdate }) {
  const isShown = line.id === update.id;
  const note = isShown ? '' : markdownExcerpt(line.releaseNote, maxNoteExcerpt);
  return (
    <li class={line.withdrawn ? 'history-line withdrawn' : 'history-line'}>
      <a
        class="history-link"
        href={pageBuildPath(page.accessKey, line.revision)}
        aria-current={isShown ? 'page' : undefined}
      >
        <bdi class="version">{versionText(line)}</bdi>
        <span class="secondary">{appTexts.app.revision({ revision: line.revision })}</span>
        <LineBadges line={line} isShown={isShown} isLive={line.buildId === page.buildId} />
        <span class="secondary when">
          <Timestamp at={line.createdAt} now={frame.now} />
        </span>
      </a>
      {note !== '' && (
        <p class="clamp" dir="auto">
          {note}
        </p>
      )}
    </li>
  );
}

function LineBadges(props: { line: DistributionUpdate; isShown: boolean; isLive: boolean }) {
  if (props.isLive) return <Badge tone="good">{t.live}</Badge>;
  if (props.line.withdrawn) return <Badge>{t.withdrawn}</Badge>;
  return props.isShown ? <Badge>{t.shown}</Badge> : null;
}
