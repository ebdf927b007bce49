/** The part of the page settings about who can open the page, until when, and with which link. */

import { pageAccessSettingsPath, pageSettingsPath } from '../../apps/app-paths.ts';
import type { Group } from '../../owners/group.ts';
import { groupsPath } from '../../owners/owner-paths.ts';
import { isBelowFloor, type PageAccessFloor } from '../../owners/policies/policies.ts';
import { policyTexts } from '../../owners/policies/policy-texts.ts';
import { Choice, ChoiceGroup, Confirm, Field } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import {
  maxNetworks,
  maxPasscodeLength,
  minimumPasscodeLength,
  pageAccessKinds,
} from '../distribution-page.ts';
import { expiryDays, type SettingsValues } from './page-settings-form.ts';
import { renderSettingsPart, SettingsForm, type SettingsPlace } from './page-settings-frame.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageAccessProps extends SettingsPlace {
  submitted: SettingsValues;
  /** The groups of the owner of the app. */
  groups: readonly Group[];
  /** Whether the viewer can also change the groups. */
  managesGroups: boolean;
  /** The least restrictive access that the Workspace allows. */
  floor: PageAccessFloor;
}

const t = pageSettingsTexts;
const expiryKinds = ['never', ...expiryDays, 'date'] as const;

export function renderPageAccess(props: PageAccessProps): string {
  const { frame, page, errors } = props;
  return renderSettingsPart(
    props,
    'access',
    <div class="stack">
      <SettingsForm frame={frame} action={`${pageAccessSettingsPath(page.accessKey)}/save`} errors={errors}>
        <AccessFields {...props} />
        <LimitFields {...props} />
      </SettingsForm>
      <RotateLink {...props} />
    </div>,
  );
}

/** Open or closed, kind of access, passcode, groups and networks. */
function AccessFields(props: PageAccessProps) {
  const { submitted, errors } = props;
  return (
    <SettingsSection id="who" title={t.groups.who}>
      <div class="form">
        <Choice
          type="checkbox"
          id="active"
          name="active"
          checked={submitted.active !== ''}
          label={t.active}
          hint={t.activeHint}
        />
        <ChoiceGroup id="access" legend={t.access} errors={errors.access}>
          {pageAccessKinds.map((kind) => (
            <Choice
              key={kind}
              type="radio"
              id={`access-${kind}`}
              name="access"
              value={kind}
              checked={submitted.access === kind}
              disabled={isBelowFloor(kind, props.floor)}
              label={t.accessKinds[kind]}
              hint={isBelowFloor(kind, props.floor) ? policyTexts.limits.pageAccess : t.accessHints[kind]}
              isOpen={kind === 'groups'}
            >
              {kind === 'passcode' && <PasscodeField {...props} />}
              {kind === 'groups' && <GroupFields {...props} />}
            </Choice>
          ))}
        </ChoiceGroup>
        <Choice
          type="checkbox"
          id="limits-networks"
          name="limits-networks"
          checked={submitted['limits-networks'] !== ''}
          label={t.limitsNetworks}
        >
          <Field
            id="networks"
            label={t.networks}
            hint={t.networksHint({ limit: maxNetworks })}
            errors={errors.networks}
            control={(attributes) => (
              <textarea
                {...attributes}
                class="mono"
                name="networks"
                rows={3}
                autocapitalize="none"
                spellcheck={false}
                value={submitted.networks}
              >
                {submitted.networks}
              </textarea>
            )}
          />
        </Choice>
      </div>
    </SettingsSection>
  );
}

function PasscodeField({ submitted, errors, page }: PageAccessProps) {
  const isSet = page.passcodeHash !== null;
  return (
    <Field
      id="passcode"
      label={isSet ? t.passcodeNew : t.passcode}
      hint={isSet ? t.passcodeKept : t.passcodeHint({ minimum: minimumPasscodeLength })}
      errors={errors.passcode}
      control={(attributes) => (
        <input
          {...attributes}
          class="short"
          name="passcode"
          type="text"
          value={submitted.passcode}
          maxLength={maxPasscodeLength}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
    />
  );
}

function GroupFields({ submitted, errors, groups, managesGroups, head }: PageAccessProps) {
  return (
    <ChoiceGroup id="groups" legend={t.groupsLabel} errors={errors.groups}>
      {groups.length > 0 && (
        <div class="choice-list">
          {groups.map(({ id, name, people }) => (
            <Choice
              key={id}
              type="checkbox"
              id={`group-${id}`}
              name="groups"
              value={id}
              checked={submitted.groups.split('\n').includes(id)}
              label={name}
              hint={t.groupPeople({ count: people })}
            />
          ))}
        </div>
      )}
      <p class="hint">
        {groups.length === 0 && `${t.noGroups} `}
        {managesGroups && <a href={groupsPath(head.app.owner)}>{t.manageGroups}</a>}
      </p>
    </ChoiceGroup>
  );
}

/** Expiry and install limit. */
function LimitFields({ submitted, errors, page: { installs } }: PageAccessProps) {
  return (
    <SettingsSection id="until" title={t.groups.until}>
      <div class="form">
        <ChoiceGroup id="expiry" legend={t.expiry}>
          {expiryKinds.map((kind) => (
            <Choice
              key={kind}
              type="radio"
              id={`expiry-${kind}`}
              name="expiry"
              value={String(kind)}
              checked={submitted.expiry === String(kind)}
              label={t.expiryKinds[kind]}
            >
              {kind === 'date' && (
                <Field
                  id="expires_at"
                  label={t.expires}
                  hint={<span data-time-zone={t.expiresLocal({ zone: '{}' })}>{t.expiresHint}</span>}
                  errors={errors.expires_at}
                  control={(attributes) => (
                    <input
                      {...attributes}
                      class="short"
                      name="expires"
                      type="datetime-local"
                      value={submitted.expires}
                      data-utc
                    />
                  )}
                />
              )}
            </Choice>
          ))}
        </ChoiceGroup>
        <Choice
          type="checkbox"
          id="limits-installs"
          name="limits-installs"
          checked={submitted['limits-installs'] !== ''}
          label={t.limitsInstalls}
        >
          <Field
            id="max_installs"
            label={t.installs}
            hint={joinSentences([t.installsHint, t.installsCounted({ count: installs })])}
            errors={errors.max_installs}
            control={(attributes) => (
              <input
                {...attributes}
                class="short"
                name="installs"
                type="text"
                inputMode="numeric"
                value={submitted.installs}
                maxLength={9}
                autocomplete="off"
              />
            )}
          />
          {installs > 0 && (
            <Choice
              type="checkbox"
              id="recount"
              name="recount"
              checked={submitted.recount !== ''}
              label={t.recount}
            />
          )}
        </Choice>
      </div>
    </SettingsSection>
  );
}

function RotateLink({ frame, page }: PageAccessProps) {
  return (
    <div class="panel">
      <SettingsSection id="link" title={t.link} line={t.linkLine}>
        <Confirm
          frame={frame}
          action={`${pageSettingsPath(page.accessKey)}/rotate-link`}
          ask={t.newAddress}
          line={t.newAddressLine}
          button={t.newAddressButton}
          tone="plain"
        />
      </SettingsSection>
    </div>
  );
}
