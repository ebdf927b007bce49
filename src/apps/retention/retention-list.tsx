import { formatBytes } from '../../core/byte-size.ts';
import { ownerPath } from '../../owners/owner-paths.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';
import { formatDay } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import type { App } from '../app.ts';
import { appRetentionPath, revisionPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import type { RetentionCandidate } from './retention.ts';
import type { PreviewLine } from './retention-preview.ts';
import { previewAddress, type RuleValues } from './retention-request.ts';

const t = retentionTexts;

export function ExpiringBuilds(props: { app: App; builds: readonly RetentionCandidate[] }) {
  const { owner, platform, packageName } = props.app;
  return (
    <ul class="link-list" aria-label={t.list}>
      {props.builds.map((build) => (
        <li key={build.id}>
          <span class="line">
            <a href={revisionPath(owner, platform, packageName, build.revision)}>
              {appTexts.app.revision({ revision: build.revision })}{' '}
              <bdi class="version">{build.versionName ?? build.versionCode}</bdi>
            </a>
            <span class="secondary fine">
              {formatDay(build.createdAt)} · {formatBytes(build.bytes)}
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
  submitted: RuleValues;
}) {
  if (props.lines === null) return <p class="secondary">{t.unseen}</p>;
  return (
    <ul class="link-list" aria-label={t.appList}>
      {props.lines.map((line) => (
        <li key={line.app.id}>
          <Place of={props.of} line={line} submitted={props.submitted} />
          <span class="secondary fine">
            {props.of === 'workspace'
              ? t.totalInApps({ count: line.builds, size: formatBytes(line.bytes), apps: line.apps })
              : t.total({ count: line.builds, size: formatBytes(line.bytes) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Links to the preview of the same rule for that app. */
function Place({
  of,
  line,
  submitted,
}: {
  of: 'owner' | 'workspace';
  line: PreviewLine;
  submitted: RuleValues;
}) {
  const { app } = line;
  if (of === 'workspace') return <a href={ownerPath(app.owner)}>{app.owner.name}</a>;
  const address = appRetentionPath(app);
  return (
    <a href={submitted.kind === 'some' ? previewAddress(address, submitted, 1) : address}>
      <bdi>{app.packageName}</bdi> <span class="secondary">{texts.platforms[app.platform]}</span>
    </a>
  );
}

export function PreviewPaging({ previous, next }: { previous: string | null; next: string | null }) {
  if (!previous && !next) return null;
  return (
    <nav class="paging" aria-label={t.paging}>
      {previous ? (
        <a href={previous} rel="prev">
          ← {t.previous}
        </a>
      ) : (
        <span />
      )}
      {next && (
        <a href={next} rel="next">
          {t.next} →
        </a>
      )}
    </nav>
  );
}
