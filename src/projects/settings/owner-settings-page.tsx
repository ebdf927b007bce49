import type { ComponentChildren } from 'preact';
import { formatBytes, writeByteSize } from '../../core/byte-size.ts';
import { maxDescriptionLength, maxNameLength, type Owner } from '../../owners/owner.ts';
import {
  ownerDeletionPath,
  ownerRetentionPath,
  ownerSettingsPath,
  quotaPath,
} from '../../owners/owner-addresses.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import type { Quota, Usage } from '../../owners/quota.ts';
import type { RetentionRule } from '../../owners/retention.ts';
import { Field, FormHead } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import { RetentionSection } from './retention-section.tsx';

export interface OwnerSettingsProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  viewerId: string;
  /** For a User, including the Projects that count toward them. */
  usage: Usage;
  quota: Quota;
  /** Number of Projects that count toward a User. */
  projects: number;
  /** The User toward whose limits a Project counts. */
  accountable: { name: string } | null;
  /** The rule that applies. */
  retention: RetentionRule;
  done: string | null;
  /** What was typed and refused; the faults are full sentences. */
  refused: (Partial<Record<SettingsField, string>> & { faults: SettingsErrors }) | null;
}

type SettingsField = 'description' | 'storage' | 'builds' | 'projects' | 'counts_for';
type SettingsErrors = Partial<Record<SettingsField, readonly string[]>>;

const words = projectTexts.settings;
const maxLimitLength = 40;

export function renderOwnerSettings(props: OwnerSettingsProps): string {
  const { frame, owner, permissions } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: 'settings',
    title: owner.kind === 'project' ? words.title : words.ofUser,
    done: props.done,
    children: (
      <div class="stack">
        {owner.kind === 'project' && <DescriptionForm {...props} />}
        <Storage {...props} />
        {permissions.administrator && <QuotaForm {...props} />}
        <RetentionSection rule={props.retention} address={ownerRetentionPath(owner)} />
        <section aria-labelledby="danger">
          <h2 id="danger">{words.danger}</h2>
          <p class="hint lead-hint">{words.dangerLine}</p>
          <a class="button button-small button-danger" href={ownerDeletionPath(owner)}>
            {deletionWords(owner, props.viewerId)}
          </a>
        </section>
      </div>
    ),
  });
}

function deletionWords(owner: Owner, viewerId: string): string {
  if (owner.kind === 'project') return words.deleteProject;
  return owner.id === viewerId ? words.deleteOwn : words.deleteUser;
}

function DescriptionForm({ frame, owner, refused }: OwnerSettingsProps) {
  const known = owner.kind === 'project' ? owner.description : '';
  return (
    <section aria-labelledby="about">
      <h2 id="about">{words.about}</h2>
      <form class="form" method="post" action={`${ownerSettingsPath(owner)}/save`}>
        <FormHead frame={frame} />
        <Field
          id="description"
          label={projectTexts.fields.description}
          hint={projectTexts.fields.descriptionHint}
          faults={refused?.faults.description}
          control={(marks) => (
            <textarea {...marks} name="description" rows={4} maxLength={maxDescriptionLength} dir="auto">
              {`\n${refused?.description ?? known}`}
            </textarea>
          )}
        />
        <p class="actions">
          <button class="button button-small" type="submit">
            {projectTexts.save}
          </button>
        </p>
      </form>
    </section>
  );
}

function Storage({ owner, usage, quota, projects, accountable }: OwnerSettingsProps) {
  const { maxStorageBytes, maxBuilds, maxProjects } = quota;
  return (
    <section aria-labelledby="storage">
      <h2 id="storage">{words.storage}</h2>
      <dl class="facts">
        <Row name={words.used}>
          <Used
            used={formatBytes(usage.bytes)}
            most={maxStorageBytes === null ? null : formatBytes(maxStorageBytes)}
            share={maxStorageBytes === null ? null : usage.bytes / maxStorageBytes}
            label={words.used}
          />
        </Row>
        <Row name={words.builds}>
          <Used
            used={formatCount(usage.builds)}
            most={maxBuilds === null ? null : formatCount(maxBuilds)}
            share={maxBuilds === null ? null : usage.builds / maxBuilds}
            label={words.builds}
          />
        </Row>
        {owner.kind === 'user' && (
          <Row name={words.projects}>
            <Used
              used={formatCount(projects)}
              most={maxProjects === null ? null : formatCount(maxProjects)}
              share={maxProjects === null ? null : projects / Math.max(maxProjects, 1)}
              label={words.projects}
            />
          </Row>
        )}
        <Row name={words.apps}>{formatCount(usage.apps)}</Row>
        {accountable && (
          <Row name={words.countsFor}>
            <bdi>{accountable.name}</bdi>
          </Row>
        )}
      </dl>
      <p class="hint after-list">
        {words.storageNote} {owner.kind === 'user' ? words.sumNote : words.countsForNote}
      </p>
    </section>
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

function Used(props: { used: string; most: string | null; share: number | null; label: string }) {
  if (props.most === null || props.share === null) {
    return (
      <>
        {props.used} <span class="secondary">({words.noLimit})</span>
      </>
    );
  }
  return (
    <>
      {words.usedOf(props.used, props.most)}
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
  const faults = refused?.faults ?? {};
  const storage = quota.maxStorageBytes === null ? '' : writeByteSize(quota.maxStorageBytes);
  const builds = quota.maxBuilds === null ? '' : String(quota.maxBuilds);
  const projects = quota.maxProjects === null ? '' : String(quota.maxProjects);
  return (
    <section aria-labelledby="quota">
      <h2 id="quota">{words.quota}</h2>
      <p class="hint lead-hint">{words.quotaLine}</p>
      <form class="form" method="post" action={`${quotaPath(owner)}/save`}>
        <FormHead frame={frame} />
        <TextField
          id="max-storage"
          name="storage"
          label={words.maxStorage}
          hint={words.maxStorageHint}
          value={refused?.storage ?? storage}
          faults={faults.storage}
          maxLength={maxLimitLength}
          short
        />
        <TextField
          id="max-builds"
          name="builds"
          label={words.maxBuilds}
          hint={words.maxBuildsHint}
          value={refused?.builds ?? builds}
          faults={faults.builds}
          maxLength={maxLimitLength}
          short
          numeric
        />
        {owner.kind === 'user' ? (
          <TextField
            id="max-projects"
            name="projects"
            label={words.maxProjects}
            hint={words.maxProjectsHint}
            value={refused?.projects ?? projects}
            faults={faults.projects}
            maxLength={maxLimitLength}
            short
            numeric
          />
        ) : (
          <TextField
            id="counts-for"
            name="counts_for"
            label={words.countsFor}
            hint={words.countsForHint}
            value={refused?.counts_for ?? accountable?.name ?? ''}
            faults={faults.counts_for}
            maxLength={maxNameLength}
          />
        )}
        <p class="actions">
          <button class="button button-small" type="submit">
            {words.quotaButton}
          </button>
        </p>
      </form>
    </section>
  );
}
