/** What is in a build: its sizes, a map of its contents, and what could be left out. */
import type { ComponentChildren } from 'preact';
import type { App, Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { buildSizePath, comparePath, sizeTrendPath } from '../../apps/app-paths.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { sizeDifference } from '../../apps/compare/compare-builds.ts';
import { keyedPath } from '../../apps/files/path-with-secret.ts';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import { sizeText } from '../../apps/insight/size-note.tsx';
import type { ByteCount, PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { LivePart } from '../../web/components/live-part.tsx';
import { linkTo } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { BuildAnalysis } from '../analyses.ts';
import { NotAnalyzed } from '../not-analyzed.tsx';
import { compareSizes } from './compare-sizes.ts';
import { Contents, type ContentsView } from './contents.tsx';
import { Growth } from './growth.tsx';
import { Categories, Parts } from './parts.tsx';
import { Savings } from './savings.tsx';
import { Section } from './size-table.tsx';
import { sizeTexts } from './size-texts.ts';

export interface SizePageProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  found: BuildAnalysis;
  /** The previous build of the branch; see `BuildSize`. */
  previous: { build: Build; analysis: PackageAnalysis | null } | null;
  view: ContentsView;
}

const t = sizeTexts;

export function renderSizePage(props: SizePageProps): string {
  const { frame, head, build, found } = props;
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'size',
    actions: (
      <a class="button" href={keyedPath(sizeTrendPath(head.app), head.key)}>
        {t.trend.title}
      </a>
    ),
    documentTitle: t.titleOf({ version: versionText(build.info), revision: build.revision }),
    children: (
      <LivePart id="size" pending={found.state === 'waiting'}>
        {found.state === 'analyzed' ? (
          <Analyzed {...props} analysis={found.analysis} />
        ) : (
          <NotAnalyzed found={found} />
        )}
      </LivePart>
    ),
  });
}

function Analyzed(props: SizePageProps & { analysis: PackageAnalysis }) {
  const { head, build, previous, analysis, view } = props;
  const { app } = head;
  const { size } = analysis;
  const addressOf = (revision: number) => keyedPath(buildSizePath(app, revision), head.key);
  return (
    <>
      <Totals {...props} />
      <Gaps gaps={analysis.gaps} />
      <Section id="contents" title={t.contents.title}>
        <Contents analysis={analysis} view={view} address={addressOf(build.revision)} />
      </Section>
      {previous && (
        <Section
          id="growth"
          title={t.growth.title({ revision: previous.build.revision })}
          action={
            <a
              class="fine"
              href={comparePath(app, { from: previous.build.revision, to: build.revision }, head.key)}
            >
              {t.growth.compare}
            </a>
          }
        >
          {previous.analysis ? (
            <Growth comparison={compareSizes(previous.analysis, analysis)} maxFiles={maxListedChanges} />
          ) : (
            <p class="soft">{t.growth.notAnalyzed({ revision: previous.build.revision })}</p>
          )}
        </Section>
      )}
      <Section id="savings" title={t.savings.title}>
        <Savings analysis={analysis} />
      </Section>
      <Section id="categories" title={t.category.title}>
        <Categories size={size} />
      </Section>
      <Parts analysis={analysis} />
      <Estimates build={build} />
    </>
  );
}

/** Rows in each direction; the comparison of builds lists more. */
const maxListedChanges = 5;

function Totals({ head, analysis, previous }: SizePageProps & { analysis: PackageAnalysis }) {
  const { size } = analysis;
  const before = previous?.analysis?.size;
  const since = (from: number | undefined, to: number) =>
    previous && from !== undefined ? (
      <Since app={head.app} appKey={head.key} revision={previous.build.revision} from={from} to={to} />
    ) : null;
  return (
    <dl class="stats stats-three">
      <Total
        label={t.download}
        count={size.download}
        line={since(before?.download.bytes, size.download.bytes)}
      />
      <Total label={t.install} count={size.install} line={since(before?.install.bytes, size.install.bytes)} />
      <Total
        label={t.package}
        count={{ bytes: size.fileBytes, exact: true }}
        line={since(before?.fileBytes, size.fileBytes)}
      />
    </dl>
  );
}

function Total({ label, count, line }: { label: string; count: ByteCount; line: ComponentChildren }) {
  return (
    <div class="stat">
      <dt>{label}</dt>
      <dd>{sizeText(count)}</dd>
      {(line || !count.exact) && (
        <dd class="fine">
          {line}
          {!count.exact && (
            <>
              {line && ' · '}
              <a href="#estimate">{t.estimate.link}</a>
            </>
          )}
        </dd>
      )}
    </div>
  );
}

function Since(props: { app: App; appKey: string | null; revision: number; from: number; to: number }) {
  const { app, appKey, revision, from, to } = props;
  const link = linkTo(keyedPath(buildSizePath(app, revision), appKey));
  if (from === to) return t.unchanged({ revision, link });
  const { bytes, percent } = sizeDifference({ from, to });
  return t.sincePrevious({ difference: `${bytes} (${percent})`, revision, link });
}

/** How many gaps are listed; hostile packages can have many. */
const maxListedGaps = 20;

function Gaps({ gaps }: Pick<PackageAnalysis, 'gaps'>) {
  if (gaps.length === 0) return null;
  return (
    <div class="callout callout-warning" role="note">
      <p class="callout-title">{t.gaps}</p>
      <p>{t.gapsLine}</p>
      <ul>
        {gaps.slice(0, maxListedGaps).map(({ part, path, reason }, index) => {
          const values = { part: t.parts[part], reason: t.reasons[reason] };
          return <li key={index}>{path === null ? t.gap(values) : t.gapOf({ path, ...values })}</li>;
        })}
        {gaps.length > maxListedGaps && <li>{t.inside.more({ count: gaps.length - maxListedGaps })}</li>}
      </ul>
    </div>
  );
}

function Estimates({ build }: { build: Build }) {
  const kind = build.info.platform === 'ios' ? 'ipa' : build.apk ? 'bundle' : 'apk';
  return (
    <Section id="estimate" title={t.estimate.title}>
      <p class="prose">{t.estimate[kind]}</p>
    </Section>
  );
}
