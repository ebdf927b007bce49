/** Deleted builds that can be restored: the notice after a deletion, and the list. */

import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatList, formatTimestamp } from '../../web/components/formats.ts';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { versionText } from '../builds/version-text.ts';
import { undoMs } from './build-deletion.ts';
import { type DeletedBuild, retentionRuleName } from './deletion.ts';

interface UndoProps {
  frame: PageFrame;
  app: App;
  /** Path of the app's builds, and prefix of the path of the form. */
  address: string;
}

const t = buildTexts.deleted;

/** The notice right after a deletion. */
export function DeletedBuildsNotice(props: UndoProps & { builds: readonly DeletedBuild[] }) {
  const { builds } = props;
  if (builds.length === 0) return null;
  const revisions = builds.map(({ build }) => appTexts.app.revision({ revision: build.revision }));
  return (
    <div class="callout callout-plain undo" role="status" data-news tabIndex={-1}>
      <p>{t.now({ count: revisions.length, builds: formatList(revisions) })}</p>
      <UndoForm
        {...props}
        revisions={builds.map(({ build }) => build.revision)}
        label={t.undoAll({ count: builds.length })}
      />
    </div>
  );
}

export function RecentlyDeleted(props: UndoProps & { builds: readonly DeletedBuild[]; more: boolean }) {
  const { app, builds, frame } = props;
  if (builds.length === 0) return null;
  const id = `${app.platform}-deleted`;
  return (
    <section class="deleted-builds" aria-labelledby={id}>
      <h2 id={id}>{t.title}</h2>
      <ul class="served">
        {builds.map(({ build, deletedAt, deletedBy }) => (
          <li key={build.id}>
            <span>
              <span class="revision secondary">{appTexts.app.revision({ revision: build.revision })}</span>{' '}
              <bdi class="version">{versionText(build.info)}</bdi>
            </span>
            <UndoForm
              {...props}
              revisions={[build.revision]}
              label={t.undoOf({ revision: build.revision })}
            />
            <span class="hint">
              {t.facts({
                user: deletedBy === retentionRuleName ? t.retentionRule : deletedBy,
                name: isolated,
                time: timeOf(deletedAt, frame.now),
                end: formatTimestamp(deletedAt + undoMs),
              })}
            </span>
          </li>
        ))}
      </ul>
      {props.more && <p class="hint">{t.more}</p>}
    </section>
  );
}

function UndoForm(props: UndoProps & { revisions: readonly number[]; label: string }) {
  return (
    <PostForm frame={props.frame} action={`${props.address}/restore`}>
      {props.revisions.map((revision) => (
        <input key={revision} type="hidden" name="revision" value={revision} />
      ))}
      <SubmitButton label={t.undo} aria-label={props.label} />
    </PostForm>
  );
}
