import { formatBytes } from '../../core/byte-size.ts';
import { pathOf } from '../../owners/owner-addresses.ts';
import { retentionTexts } from '../../owners/retention-texts.ts';
import { formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App } from '../app.ts';
import { appRetentionPath, revisionPath } from '../app-addresses.ts';
import type { RetentionCandidate } from './retention.ts';
import type { PreviewLine } from './retention-preview.ts';
import { previewAddress, type RuleValues } from './retention-request.ts';

const words = retentionTexts;

export function ExpiringBuilds(props: { app: App; builds: readonly RetentionCandidate[] }) {
  const { owner, platform, packageName } = props.app;
  return (
    <ul class="link-list" aria-label={words.list}>
      {props.builds.map((build) => (
        <li key={build.id}>
          <span class="line">
            <a href={revisionPath(owner, platform, packageName, build.revision)}>
              {texts.app.revision(build.revision)}{' '}
              <bdi class="version">{build.versionName ?? build.versionCode}</bdi>
            </a>
            <span class="secondary fine">
              {formatDay(build.createdAt)}, {formatBytes(build.bytes)}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** `lines`: null if the viewer cannot see the apps. */
export function AffectedScopes(props: {
  of: 'owner' | 'workspace';
  lines: readonly PreviewLine[] | null;
  typed: RuleValues;
}) {
  if (props.lines === null) return <p class="secondary">{words.unseen}</p>;
  return (
    <ul class="link-list" aria-label={words.appList}>
      {props.lines.map((line) => (
        <li key={line.app.id}>
          <Place of={props.of} line={line} typed={props.typed} />
          <span class="secondary fine">
            {words.total(line.builds, formatBytes(line.bytes))}
            {props.of === 'workspace' && ` ${words.inApps(line.apps)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Links to the app's own preview of the same rule. */
function Place({ of, line, typed }: { of: 'owner' | 'workspace'; line: PreviewLine; typed: RuleValues }) {
  const { app } = line;
  if (of === 'workspace') return <a href={pathOf(app.owner)}>{app.owner.name}</a>;
  const address = appRetentionPath(app);
  return (
    <a href={typed.kind === 'some' ? previewAddress(address, typed, 1) : address}>
      <bdi>{app.packageName}</bdi> <span class="secondary">{texts.platforms[app.platform]}</span>
    </a>
  );
}

export function PreviewPaging({ previous, next }: { previous: string | null; next: string | null }) {
  if (!previous && !next) return null;
  return (
    <nav class="paging" aria-label={words.paging}>
      {previous ? (
        <a href={previous} rel="prev">
          ← {words.previous}
        </a>
      ) : (
        <span />
      )}
      {next && (
        <a href={next} rel="next">
          {words.next} →
        </a>
      )}
    </nav>
  );
}
