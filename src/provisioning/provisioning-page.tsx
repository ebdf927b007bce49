/** The provisioning settings of a Workspace. */

import { keyTexts } from '../accounts/keys/key-texts.ts';
import type { GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import { maxDomainLength, type Workspace } from '../owners/owner.ts';
import { workspaceProvisioningPath } from '../owners/owner-paths.ts';
import { renderWorkspaceArea } from '../projects/workspaces/workspace-area.tsx';
import { CodeBlock } from '../web/components/code-block.tsx';
import { Confirm, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { SelectField } from '../web/components/inputs/select-field.tsx';
import { isolated, lastDayOf, timeOf } from '../web/components/message-tags.tsx';
import { NameField, TextField } from '../web/components/text-field.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { SettingsSection } from '../web/shell/settings/settings-layout.tsx';
import { ClaimedGroupsSection } from './claimed-groups-section.tsx';
import { Mappings, type TargetChoice } from './group-mappings-section.tsx';
import type { ClaimedGroup, DirectoryGroup, GroupMapping } from './mapping-target.ts';
import { maxTokenNameLength } from './provisioning.ts';
import { provisioningTexts } from './provisioning-texts.ts';
import { type DirectoryToken, scimLimits } from './scim/scim.ts';

/** In days. */
export const tokenLifetimes = ['never', '90', '365'] as const;

export interface ProvisioningPageProps {
  frame: PageFrame;
  workspace: Workspace;
  tokens: readonly DirectoryToken[];
  domains: readonly string[];
  /** Whether the viewer may assign domains. */
  isAdministrator: boolean;
  /** The new token, to be shown once. */
  made: string | null;
  done: string | null;
  mappings: readonly GroupMapping[];
  claimedGroups: readonly ClaimedGroup[];
  /** From which the viewer may assign groups. */
  sources: readonly GroupSource[];
  directoryGroups: readonly DirectoryGroup[];
  targets: readonly TargetChoice[];
  submitted: Submitted;
  errors: { [Field in keyof Submitted]?: readonly string[] | undefined };
}

export interface Submitted {
  name?: string;
  expires?: string;
  domain?: string;
  source?: string;
  group?: string;
  directory_group?: string;
  target?: string;
}

const t = provisioningTexts;

export function renderProvisioning(props: ProvisioningPageProps): string {
  const { frame, workspace, made } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'provisioning',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <>
        {made !== null && (
          <section class="made-key" aria-labelledby="made" data-news tabIndex={-1}>
            <h2 id="made">{t.tokens.madeTitle}</h2>
            <p role="status">{t.tokens.madeLine}</p>
            <CodeBlock text={made} label={t.tokens.tokenLabel} />
          </section>
        )}
        <div class="panel">
          <SettingsSection id="address" title={t.address} line={t.addressLine}>
            <CodeBlock
              text={`${frame.origin}/scim/v2/${encodeURIComponent(workspace.name)}`}
              label={t.address}
            />
          </SettingsSection>
          <Tokens {...props} />
          <Domains {...props} />
          <ClaimedGroupsSection {...props} />
          <Mappings {...props} />
        </div>
      </>
    ),
  });
}

function Tokens({ frame, workspace, tokens, submitted, errors }: ProvisioningPageProps) {
  const path = workspaceProvisioningPath(workspace.name);
  return (
    <SettingsSection id="tokens" title={t.tokens.title} line={t.tokens.line}>
      {tokens.length === 0 && <p class="secondary">{t.tokens.none}</p>}
      <ul class="link-list">
        {tokens.map((token) => (
          <li class="person" key={token.id}>
            <span>
              <bdi class="strong">{token.name}</bdi>
              <span class="fine secondary">
                {' '}
                {t.tokens.created({
                  time: timeOf(token.createdAt, frame.now),
                  user: token.createdBy,
                  name: isolated,
                })}{' '}
                ·{' '}
                {token.lastUsedAt === null
                  ? t.tokens.neverUsed
                  : t.tokens.used({ time: timeOf(token.lastUsedAt, frame.now) })}{' '}
                · {expiryOf(token, frame.now)}
              </span>
            </span>
            <Confirm
              frame={frame}
              action={`${path}/tokens/${token.id}/revoke`}
              ask={t.tokens.revoke}
              label={t.tokens.revokeOf({ name: token.name })}
              line={t.tokens.revokeLine}
              button={t.tokens.revokeButton}
              tone="quiet"
            />
          </li>
        ))}
      </ul>
      {tokens.length >= scimLimits.tokens ? (
        <p class="secondary">{t.tokens.full({ limit: scimLimits.tokens })}</p>
      ) : (
        <PostForm frame={frame} class="form" action={`${path}/tokens/create`}>
          <NameField
            label={t.tokens.name}
            hint={t.tokens.nameHint}
            value={submitted.name ?? ''}
            errors={errors.name}
            maxLength={maxTokenNameLength}
          />
          <SelectField
            id="expires"
            label={t.tokens.expiry}
            value={submitted.expires ?? 'never'}
            options={tokenLifetimes.map((one) => [one, keyTexts.choices[one]])}
            short
          />
          <p class="actions">
            <SubmitButton label={t.tokens.create} tone="primary" />
          </p>
        </PostForm>
      )}
    </SettingsSection>
  );
}

function expiryOf({ expiresAt }: DirectoryToken, now: number) {
  if (expiresAt === null) return t.tokens.neverExpires;
  return (expiresAt > now ? t.tokens.expires : t.tokens.expired)({ day: lastDayOf(expiresAt) });
}

function Domains({ frame, workspace, domains, isAdministrator, submitted, errors }: ProvisioningPageProps) {
  const path = `${workspaceProvisioningPath(workspace.name)}/domains`;
  return (
    <SettingsSection id="domains" title={t.domains.title} line={t.domains.line}>
      {domains.length === 0 && <p class="secondary">{t.domains.none}</p>}
      <ul class="link-list">
        {domains.map((domain) => (
          <li class="person" key={domain}>
            <bdi>{domain}</bdi>
            {isAdministrator && (
              <Confirm
                frame={frame}
                action={`${path}/${encodeURIComponent(domain)}/remove`}
                ask={t.domains.remove}
                label={t.domains.removeOf({ domain })}
                line={t.domains.removeLine}
                tone="quiet"
              />
            )}
          </li>
        ))}
      </ul>
      {isAdministrator && (
        <PostForm frame={frame} class="add-person" action={`${path}/assign`}>
          <TextField
            id="domain"
            label={t.domains.domain}
            hint={t.domains.hint}
            value={submitted.domain ?? ''}
            errors={errors.domain}
            maxLength={maxDomainLength}
            required
          />
          <SubmitButton label={t.domains.assign} />
        </PostForm>
      )}
    </SettingsSection>
  );
}
