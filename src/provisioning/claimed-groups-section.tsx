/** The identity provider groups that rules of a Workspace may use. */

import type { GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import type { Workspace } from '../owners/owner.ts';
import { workspaceProvisioningPath } from '../owners/owner-paths.ts';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { SelectField } from '../web/components/inputs/select-field.tsx';
import { TextField } from '../web/components/text-field.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { SettingsSection } from '../web/shell/settings/settings-layout.tsx';
import type { ClaimedGroup } from './mapping-target.ts';
import { provisioningTexts } from './provisioning-texts.ts';

const t = provisioningTexts.groups;

export function ClaimedGroupsSection(props: {
  frame: PageFrame;
  workspace: Workspace;
  claimedGroups: readonly ClaimedGroup[];
  /** From which the viewer may assign groups. */
  sources: readonly GroupSource[];
  isAdministrator: boolean;
  submitted: { source?: string; group?: string };
  errors: { source?: readonly string[] | undefined; group?: readonly string[] | undefined };
}) {
  const { frame, workspace, claimedGroups, sources, isAdministrator, submitted, errors } = props;
  if (sources.length === 0 && claimedGroups.length === 0) return null;
  const path = `${workspaceProvisioningPath(workspace.name)}/groups`;
  return (
    <SettingsSection id="groups" title={t.title} line={t.line}>
      {claimedGroups.length === 0 && <p class="secondary">{t.none}</p>}
      <ul class="link-list">
        {claimedGroups.map(({ id, source, name }) => (
          <li class="person" key={id}>
            <span>
              <bdi class="strong">{name}</bdi>{' '}
              <span class="fine secondary">{provisioningTexts.sources[source]}</span>
            </span>
            {(isAdministrator || source === 'workspace') && (
              <Confirm
                frame={frame}
                action={`${path}/${id}/remove`}
                ask={t.remove}
                label={t.removeOf({ group: name })}
                line={t.removeLine}
                tone="quiet"
              />
            )}
          </li>
        ))}
      </ul>
      {sources.length > 0 && (
        <PostForm frame={frame} class="form" action={`${path}/assign`}>
          <SelectField
            id="source"
            label={t.source}
            errors={errors.source}
            value={submitted.source}
            options={sources.map((one) => [one, provisioningTexts.sources[one]])}
          />
          <TextField
            id="group"
            label={t.name}
            hint={t.hint}
            value={submitted.group ?? ''}
            errors={errors.group}
            maxLength={512}
          />
          <p class="actions">
            <SubmitButton label={t.assign} />
          </p>
        </PostForm>
      )}
    </SettingsSection>
  );
}
