/** Retention pages of Apps, owners and Workspaces. */
import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import type { Owner, Workspace } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';
import { renderWorkspaceArea } from '../../projects/workspaces/workspace-area.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { appSettingsParts } from '../settings/app-settings-parts.ts';
import { CurrentRule, type RetentionFormProps, RuleForm } from './retention-form.tsx';
import { AffectedScopes, ExpiringBuilds, PreviewPaging } from './retention-list.tsx';
import type { AppPreview, ScopePreview } from './retention-preview.ts';

export interface RetentionView extends RetentionFormProps {
  frame: PageFrame;
  /** Null without a preview. */
  preview: Preview | null;
  done: string | null;
}

export interface Preview {
  /** Describes the previewed rule in one sentence. */
  sentence: string;
  shown:
    | { of: 'app'; app: App; found: AppPreview }
    /** `listed`: whether the viewer can see the apps. */
    | { of: 'owner' | 'workspace'; found: ScopePreview; listed: boolean };
  previous: string | null;
  next: string | null;
}

const t = retentionTexts;

export function renderAppRetention(view: RetentionView & { head: AppHead }): string {
  return renderAppArea({
    frame: view.frame,
    head: view.head,
    tab: 'settings',
    title: t.title,
    crumb: { label: t.title, address: view.subject.address },
    done: view.done,
    settings: appSettingsParts(view.head.app, 'retention'),
    children: <Body {...view} />,
  });
}

export function renderOwnerRetention(
  view: RetentionView & { owner: Owner; permissions: OwnerPermissions },
): string {
  return renderOwnerArea({
    frame: view.frame,
    owner: view.owner,
    permissions: view.permissions,
    part: 'settings',
    settings: 'retention',
    title: t.title,
    done: view.done,
    children: <Body {...view} />,
  });
}

export function renderWorkspaceRetention(view: RetentionView & { workspace: Workspace }): string {
  return renderWorkspaceArea({
    frame: view.frame,
    workspace: view.workspace,
    settings: 'retention',
    title: t.title,
    documentTitle: t.titleOf({ name: view.workspace.displayName }),
    done: view.done,
    children: <Body {...view} />,
  });
}

function Body(view: RetentionView): ComponentChildren {
  return (
    <div class="stack">
      <CurrentRule {...view} />
      <RuleForm {...view} />
      {view.preview && <DeletedContents {...view} preview={view.preview} />}
    </div>
  );
}

function totalOf({ of, found }: Preview['shown']): string {
  const { builds: count } = found;
  if (count === 0) return t.nothing;
  const size = formatBytes(found.bytes);
  return of === 'app' ? t.total({ count, size }) : t.totalInApps({ count, size, apps: found.apps });
}

function DeletedContents(view: RetentionView & { preview: Preview }) {
  const { subject, submitted, preview } = view;
  const { shown } = preview;
  const { builds } = shown.found;
  return (
    <section aria-labelledby="goes">
      <h2 id="goes">{t.goes}</h2>
      <p class="lead-hint">{preview.sentence}</p>
      <p class="lead-hint">
        <strong>{totalOf(shown)}</strong>
      </p>
      <PostForm frame={view.frame} action={`${subject.address}/save`}>
        <input type="hidden" name="keep" value={submitted.kind ?? ''} />
        <input type="hidden" name="newest" value={submitted.newest} />
        <input type="hidden" name="days" value={submitted.days} />
        <SubmitButton
          label={builds > 0 ? t.saveAndRemove({ count: builds }) : t.save}
          tone={builds > 0 ? 'danger' : undefined}
        />
      </PostForm>
      {builds > 0 && (
        <div class="after-list">
          {shown.of === 'app' ? (
            <ExpiringBuilds app={shown.app} builds={shown.found.shown} />
          ) : (
            <AffectedScopes
              of={shown.of}
              lines={shown.listed ? shown.found.lines : null}
              submitted={submitted}
            />
          )}
          <PreviewPaging previous={preview.previous} next={preview.next} />
        </div>
      )}
    </section>
  );
}
