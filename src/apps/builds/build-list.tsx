/** The builds of an app as a table with two lines per row; as cards on phones. */

import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { markdownExcerpt } from '../../web/components/markdown.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type App, type Build, installedFile } from '../app.ts';
import { distributionPath, pageSettingsPath, publishPath, revisionPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { PageMark } from '../distributions/page-state-badge.tsx';
import { keyedPath } from '../files/path-with-secret.ts';
import type { BuildSize } from '../insight/build-insight.ts';
import { SizeNote } from '../insight/size-note.tsx';
import type { MarkedPage } from '../listed-page.ts';
import { maxLabelLength } from './build-changes.ts';
import { sourceText } from './build-facts.tsx';
import { buildTexts } from './build-texts.ts';
import { buildNotes, isAwaitingVerification } from './build-warnings.ts';
import { versionText } from './version-text.ts';

/** Messages can have 32 KB, but a row shows a single line. */
const maxMessageExcerpt = 140;
const shownCommitLength = 8;
const shownPages = 2;

/** A build with URLs for this viewer. */
export interface BuildLine {
  build: Build;
  iconAddress: string | null;
  downloadAddress: string;
  /** Download address of the APK of an app bundle; null without one. */
  apkAddress: string | null;
}

export interface BuildListProps {
  frame: PageFrame;
  app: App;
  builds: readonly BuildLine[];
  latestRevision: number | null;
  /** The app secret if it opened the page, so that build links include it. */
  appKey: string | null;
  /** The pages that serve a build, by build ID. */
  live: ReadonlyMap<string, readonly MarkedPage[]>;
  /** What their checks found, by build ID. */
  checks: ReadonlyMap<string, ComponentChildren>;
  /** Installs by build ID. */
  installs: ReadonlyMap<string, number>;
  /** Sizes of analyzed builds, by build ID. */
  sizes: ReadonlyMap<string, BuildSize>;
  /** Path of the app's builds, and prefix of the paths of the forms. Null if the viewer cannot change them. */
  formsAddress: string | null;
  /** Path that shows the builds unselected. Null unless all of them are selected. */
  unselectAddress: string | null;
}

const t = buildTexts.list;

export function BuildList(props: BuildListProps) {
  const { formsAddress } = props;
  const table = (
    <div class="panel">
      <BuildTable {...props} />
    </div>
  );
  if (formsAddress === null) return table;
  return (
    <PostForm frame={props.frame} action={`${formsAddress}/delete`} data-bulk>
      {table}
      <BulkActions formsAddress={formsAddress} unselectAddress={props.unselectAddress} />
    </PostForm>
  );
}

function BuildTable(props: BuildListProps) {
  const manages = props.formsAddress !== null;
  return (
    <table class="table cards table-fixed" data-rows>
      <caption class="unseen">{t.caption}</caption>
      <thead>
        <tr>
          {manages && (
            <th scope="col" class="c-check">
              <label class="check-hit">
                <span class="unseen">{t.selectAll}</span>
                <input type="checkbox" data-all hidden />
              </label>
            </th>
          )}
          <Column label={t.build} />
          <Column label={t.source} name="c-source" />
          <Column label={t.uploaded} name="c-who" />
          <Column label={t.size} name="num hide-medium c-size" />
          <Column label={t.installs} name="num c-num" />
          <Column label={t.liveOn} name="c-live" />
          <th scope="col" class="c-act">
            <span class="unseen">{t.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody data-live-rows="">
        {props.builds.map((line) => (
          <BuildRow key={line.build.id} line={line} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function Column({ label, name }: { label: string; name?: string }) {
  return (
    <th scope="col" class={name}>
      {label}
    </th>
  );
}

function BuildRow(props: BuildListProps & { line: BuildLine }) {
  const { app, line, frame, formsAddress, appKey } = props;
  const { build } = line;
  const address = keyedPath(revisionPath(app.owner, app.platform, app.packageName, build.revision), appKey);
  const installs = props.installs.get(build.id) ?? 0;
  const size = props.sizes.get(build.id);
  return (
    <tr
      id={`build-${build.revision}`}
      class={formsAddress === null ? undefined : 'with-check'}
      data-live-part=""
      data-live-pending={isAwaitingVerification(build) ? '' : undefined}
    >
      {formsAddress !== null && (
        <SelectBuild revision={build.revision} selected={props.unselectAddress !== null} />
      )}
      <th scope="row" class="keep-room">
        <span class="line-1">
          <span class="revision">{appTexts.app.revision({ revision: build.revision })}</span>
          <a class="plain strong" href={address}>
            <bdi>{versionText(build.info)}</bdi>
          </a>
          <BuildBadges build={build} isLatest={build.revision === props.latestRevision} now={frame.now} />
          {props.checks.get(build.id)}
        </span>
        <span class="cut line-2" dir="auto">
          {build.message ? markdownExcerpt(build.message, maxMessageExcerpt) : t.noMessage}
        </span>
      </th>
      <Source build={build} now={frame.now} />
      <td class="hide-phone">
        <span class="person">
          <Avatar name={build.uploadedBy} />
          <span>
            <bdi class="cut">{build.uploadedBy}</bdi>
            <span class="cut line-2">
              <Timestamp at={build.createdAt} now={frame.now} />
            </span>
          </span>
        </span>
      </td>
      <td class="num hide-phone hide-medium soft">
        {size ? (
          <SizeNote app={app} build={build} size={size} appKey={appKey} differenceClass="line-2 sub" />
        ) : (
          formatBytes(build.sizeBytes)
        )}
      </td>
      <td class="num hide-phone">{formatCount(installs)}</td>
      <td>
        <LiveOn list={props} pages={props.live.get(build.id) ?? []} installs={installs} />
      </td>
      <RowActions {...props} />
    </tr>
  );
}

function SelectBuild({ revision, selected }: { revision: number; selected: boolean }) {
  return (
    <td class="check-cell">
      <label class="check-hit">
        <span class="unseen">{t.select({ revision })}</span>
        <input type="checkbox" name="revision" value={revision} checked={selected} />
      </label>
    </td>
  );
}

function BuildBadges({ build, isLatest, now }: { build: Build; isLatest: boolean; now: number }) {
  const { blocked, sentences } = buildNotes(build, now);
  return (
    <>
      {isLatest && <Badge tone="good">{appTexts.app.latest}</Badge>}
      {build.protected && <Badge>{buildTexts.protected}</Badge>}
      {build.label && (
        <Badge>
          <bdi>{build.label}</bdi>
        </Badge>
      )}
      {blocked && <Badge tone="danger">{appTexts.app.blocked}</Badge>}
      {!blocked && sentences.length > 0 && (
        <Badge tone="warning">{appTexts.app.warned({ count: sentences.length })}</Badge>
      )}
    </>
  );
}

function Source({ build, now }: { build: Build; now: number }) {
  return (
    <td class="source">
      {build.branch ? (
        <code class="cut of-branch" title={build.branch} dir="auto">
          {build.branch}
        </code>
      ) : (
        <span class="soft hide-phone">–</span>
      )}
      {build.commit && (
        <code class="cut of-commit" title={build.commit} dir="auto">
          {build.commit.slice(0, shownCommitLength)}
        </code>
      )}
      {build.source && (
        <span class="cut of-source" dir="auto" title={sourceText(build.source)}>
          {build.source.repository}
          <span class="unseen">{sourceText(build.source)}</span>
        </span>
      )}
      <span class="only-phone">
        <Timestamp at={build.createdAt} now={now} />
      </span>
    </td>
  );
}

function LiveOn(props: { list: BuildListProps; pages: readonly MarkedPage[]; installs: number }) {
  const { pages, installs } = props;
  const { frame, formsAddress } = props.list;
  const addressOf = formsAddress === null ? distributionPath : pageSettingsPath;
  const more = pages.length - shownPages;
  return (
    <span class="live-list">
      {pages.slice(0, shownPages).map((page) => (
        <PageMark key={page.accessKey} page={page} address={addressOf(page.accessKey)} now={frame.now} />
      ))}
      {more > 0 && <span class="soft fine">{t.morePages({ count: more })}</span>}
      {pages.length === 0 && <span class="soft hide-phone">–</span>}
      <span class="only-phone soft fine">{t.installCount({ count: installs })}</span>
    </span>
  );
}

function RowActions({ app, line, formsAddress, latestRevision }: BuildListProps & { line: BuildLine }) {
  const { build, downloadAddress } = line;
  const { revision } = build;
  return (
    <td class="to-end">
      <span class="row-actions">
        {formsAddress !== null && installedFile(build) && (
          <a
            class={`button hide-phone hide-medium${revision === latestRevision ? '' : ' on-hover'}`}
            href={publishPath(app, revision)}
            aria-label={t.publishOf({ revision })}
            data-publish
          >
            {t.publish}
          </a>
        )}
        <a
          class="button button-quiet button-icon"
          href={downloadAddress}
          aria-label={appTexts.app.downloadOf({
            name: build.info.name,
            version: versionText(build.info),
            revision,
          })}
        >
          <Glyph name="download" />
        </a>
      </span>
    </td>
  );
}

/** Without scripts, it is always shown, but without the count. */
function BulkActions(props: { formsAddress: string; unselectAddress: string | null }) {
  const { formsAddress, unselectAddress } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would need a heading
    <div class="bulk" role="region" aria-label={t.selection}>
      <span class="bulk-count">
        <strong
          data-count={JSON.stringify({
            one: t.selectedOne({ count: '{}' }),
            other: t.selectedOther({ count: '{}' }),
          })}
          role="status"
        >
          {t.selection}
        </strong>
      </span>
      <details class="menu menu-up">
        <summary class="button">
          <Glyph name="tag" />
          {t.label}
        </summary>
        <div class="menu-list menu-start menu-form">
          <div class="field">
            <label for="bulk-label">{t.label}</label>
            <input id="bulk-label" name="label" type="text" maxLength={maxLabelLength} autocomplete="off" />
            <p class="hint">{t.labelHint}</p>
          </div>
          <SubmitButton label={t.setLabel} tone="primary" formaction={`${formsAddress}/label`} />
        </div>
      </details>
      <button class="button" type="submit" formaction={`${formsAddress}/protect`}>
        <Glyph name="shield" />
        {buildTexts.protect}
      </button>
      <button class="button button-danger" type="submit">
        <Glyph name="trash" />
        {t.delete}
      </button>
      {unselectAddress === null ? (
        <button class="button button-quiet button-icon hide-phone" type="reset" aria-label={t.clearSelection}>
          <Glyph name="close" />
        </button>
      ) : (
        <a
          class="button button-quiet button-icon hide-phone"
          href={unselectAddress}
          aria-label={t.clearSelection}
        >
          <Glyph name="close" />
        </a>
      )}
    </div>
  );
}
