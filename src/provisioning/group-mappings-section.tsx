/** The rules that map groups of a directory, and the form that adds one. */

import type { Workspace } from '../owners/owner.ts';
import { workspaceProvisioningPath } from '../owners/owner-paths.ts';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { SelectField } from '../web/components/inputs/select-field.tsx';
import { isolated, timeOf } from '../web/components/message-tags.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { SettingsSection } from '../web/shell/settings/settings-layout.tsx';
import type { DirectoryGroup, GroupMapping, MappingTarget } from './mapping-target.ts';
import { provisioningTexts } from './provisioning-texts.ts';

/** `value`: as in the form. */
export interface TargetChoice {
  value: string;
  target: MappingTarget;
}

const t = provisioningTexts.mappings;

function nameOf(target: MappingTarget): string {
  if (!('project' in target)) return t.targets[target.kind];
  const project = target.project.name;
  if (target.kind === 'team') return t.targets[target.team]({ project });
  return t.targets.testers({ project, group: target.group.name });
}

/** Groups of the directory of the Workspace need no source, because there is one. */
const labelOf = ({ displayName, source }: DirectoryGroup) =>
  source === 'scim' ? displayName : `${displayName} (${provisioningTexts.sources[source]})`;

export function Mappings(props: {
  frame: PageFrame;
  workspace: Workspace;
  mappings: readonly GroupMapping[];
  directoryGroups: readonly DirectoryGroup[];
  targets: readonly TargetChoice[];
  submitted: { directory_group?: string; target?: string };
  errors: { directory_group?: readonly string[] | undefined; target?: readonly string[] | undefined };
}) {
  const { frame, workspace, mappings, directoryGroups, targets, submitted, errors } = props;
  const path = `${workspaceProvisioningPath(workspace.name)}/mappings`;
  return (
    <SettingsSection id="mappings" title={t.title} line={t.line}>
      {mappings.length === 0 && directoryGroups.length > 0 && <p class="secondary">{t.none}</p>}
      <ul class="link-list">
        {mappings.map(({ id, group, target, createdBy, createdAt }) => (
          <li class="person" key={id}>
            <span>
              {t.rule({ group: labelOf(group), target: nameOf(target), name: isolated })}
              <span class="fine secondary">
                {' '}
                {t.added({ time: timeOf(createdAt, frame.now), user: createdBy, name: isolated })}
              </span>
            </span>
            <Confirm
              frame={frame}
              action={`${path}/${id}/remove`}
              ask={t.remove}
              label={t.removeOf({ group: group.displayName })}
              line={t.removeLine}
              button={t.removeButton}
              tone="quiet"
            />
          </li>
        ))}
      </ul>
      {directoryGroups.length === 0 ? (
        <p class="secondary">{t.noGroups}</p>
      ) : (
        <PostForm frame={frame} class="form" action={`${path}/add`}>
          <SelectField
            id="directory_group"
            label={t.group}
            errors={errors.directory_group}
            value={submitted.directory_group}
            options={directoryGroups.map((group) => [group.id, labelOf(group)])}
          />
          <SelectField
            id="target"
            label={t.target}
            errors={errors.target}
            value={submitted.target}
            options={targets.map(({ value, target }) => [value, nameOf(target)])}
          />
          <p class="actions">
            <SubmitButton label={t.add} />
          </p>
        </PostForm>
      )}
    </SettingsSection>
  );
}
