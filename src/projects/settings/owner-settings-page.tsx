import type { ComponentChildren } from 'preact';
import { formatBytes, writeByteSize } from '../../core/byte-size.ts';
import { refusalOf } from '../../core/errors.ts';
import { maxDescriptionLength, maxNameLength, type Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import { ownerSettingsPath, quotaPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import type { Quota, Usage } from '../../owners/quota.ts';
import { countPattern, readBuildLimit, readProjectLimit } from '../../owners/quota.ts';
import { Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatCount, joinSentences } from '../../web/components/formats.ts';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { projectTexts } from '../project-texts.ts';

export interface OwnerSettingsProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  /** For a User, includes the Projects that count toward them. */
  usage: Usage;
  quota: Quota;
  /** Number of Projects that count toward a User. */
  projects: number;
  /** The User toward whose limits a Project counts. */
  accountable: { name: string } | null;
  done: string | null;
  /** The refused input. Errors are full sentences. */
  refused: (Partial<Record<SettingsField, string>> & { errors: SettingsErrors }) | null;
}

type SettingsField = 'description' | 'storage' | 'builds' | 'projects' | 'counts_for';
type SettingsErrors = Partial<Record<SettingsField, readonly string[]>>;

const t = projectTexts.settings;
const maxLimitLength = 40;

export function renderOwnerSettings(props: OwnerSettingsProps): string {
  const { frame, owner, permissions } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: 'settings',
    settings: 'general',
    title: t.title,
    done: props.done,
    children: (
      <div class="panel">
        {owner.kind === 'project' && <DescriptionForm {...props} />}
        <Storage {...props} />
        {permissions.administrator && <QuotaForm {...props} />}
      </div>
    ),
  });
}

function DescriptionForm({ frame, owner, refused }: OwnerSettingsProps) {
  const known = owner.kind === 'project' ? owner.description : '';
  return (
    <SettingsSection id="about" title={t.about}>
      <PostForm
        frame={frame}
        class="form"
        action={`${ownerSettingsPath(owner)}/save`}
        data-guard={refused?.description !== undefined ? 'changed' : ''}
      >
        <Field
          id="description"
          label={projectTexts.fields.description}
          hint={projectTexts.fields.descriptionHint}
          errors={refused?.errors.description}
          control={(attributes) => (
            <textarea {...attributes} name="description" rows={4} maxLength={maxDescriptionLength} dir="auto">
              {`\n${refused?.description ?? known}`}
            </textarea>
          )}
        />
        <p class="actions">
          <SubmitButton label={projectTexts.save} />
        </p>
      </PostForm>
    </SettingsSection>
  );
}

function Storage({ owner, usage, quota, projects, accountable }: OwnerSettingsProps) {
  const { maxStorageBytes, maxBuilds, maxProjects } = quota;
  return (
    <SettingsSection
      id="storage"
      title={t.storage}
      line={joinSentences([t.storageNote, owner.kind === 'user' ? t.sumNote : t.countsForNote])}
    >
      <dl class="facts">
        <Row name={t.used}>
          <UsageMeter
            used={formatBytes(usage.bytes)}
            limit={maxStorageBytes === null ? null : formatBytes(maxStorageBytes)}
            share={maxStorageBytes === null ? null : usage.bytes / maxStorageBytes}
            label={t.used}
          />
        </Row>
        <Row name={t.builds}>
          <UsageMeter
            used={formatCount(usage.builds)}
            limit={maxBuilds === null ? null : formatCount(maxBuilds)}
            share={maxBuilds === null ? null : usage.builds / maxBuilds}
            label={t.builds}
          />
        </Row>
        {owner.kind === 'user' && (
          <Row name={t.projects}>
            <UsageMeter
              used={formatCount(projects)}
              limit={maxProjects === null ? null : formatCount(maxProjects)}
              share={maxProjects === null ? null : projects / Math.max(maxProjects, 1)}
              label={t.projects}
            />
          </Row>
        )}
        <Row name={t.apps}>{formatCount(usage.apps)}</Row>
        {accountable && (
          <Row name={t.countsFor}>
            <bdi>{accountable.name}</bdi>
          </Row>
        )}
      </dl>
    </SettingsSection>
  );
}

function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function UsageMeter(props: { used: string; limit: string | null; share: number | null; label: string }) {
  if (props.limit === null || props.share === null) {
    return (
      <>
        {t.usedWithoutLimit({
          used: props.used,
          soft: (children) => <span class="secondary">{children}</span>,
        })}
      </>
    );
  }
  return (
    <>
      {t.usedOf({ used: props.used, limit: props.limit })}
      <meter
        class="used"
        min={0}
        max={1}
        high={0.9}
        value={Math.min(props.share, 1)}
        aria-label={props.label}
      />
    </>
  );
}

function QuotaForm({ frame, owner, quota, accountable, refused }: OwnerSettingsProps) {
  const errors = refused?.errors ?? {};
  const storage = quota.maxStorageBytes === null ? '' : writeByteSize(quota.maxStorageBytes);
  const builds = quota.maxBuilds === null ? '' : String(quota.maxBuilds);
  const projects = quota.maxProjects === null ? '' : String(quota.maxProjects);
  return (
    <SettingsSection id="quota" title={t.quota} line={t.quotaLine}>
      <PostForm
        frame={frame}
        class="form"
        action={`${quotaPath(owner)}/save`}
        data-guard={refused?.storage !== undefined ? 'changed' : ''}
      >
        <TextField
          id="max-storage"
          name="storage"
          label={t.maxStorage}
          hint={t.maxStorageHint}
          value={refused?.storage ?? storage}
          errors={errors.storage}
          maxLength={maxLimitLength}
          short
        />
        <TextField
          id="max-builds"
          name="builds"
          label={t.maxBuilds}
          hint={t.maxBuildsHint}
          value={refused?.builds ?? builds}
          errors={errors.builds}
          maxLength={maxLimitLength}
          pattern={countPattern}
          mismatch={refusalOf(readBuildLimit, '?')}
          short
          numeric
        />
        {owner.kind === 'user' ? (
          <TextField
            id="max-projects"
            name="projects"
            label={t.maxProjects}
            hint={t.maxProjectsHint}
            value={refused?.projects ?? projects}
            errors={errors.projects}
            maxLength={maxLimitLength}
            pattern={countPattern}
            mismatch={refusalOf(readProjectLimit, '?')}
            short
            numeric
          />
        ) : (
          <TextField
            id="counts-for"
            name="counts_for"
            label={t.countsFor}
            hint={t.countsForHint}
            value={refused?.counts_for ?? accountable?.name ?? ''}
            errors={errors.counts_for}
            maxLength={maxNameLength}
          />
        )}
        <p class="actions">
          <SubmitButton label={t.quotaButton} />
        </p>
      </PostForm>
    </SettingsSection>
  );
}
