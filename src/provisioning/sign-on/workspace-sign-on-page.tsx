/** The single sign-on settings of a Workspace. */

import { securityPath, withTarget, workspaceSamlPaths } from '../../accounts/profile/account-paths.ts';
import type { KeptMetadata } from '../../accounts/saml/identity-provider.ts';
import type { ServiceProviderAddresses } from '../../accounts/saml/service-provider.ts';
import type { WorkspaceProvider } from '../../accounts/saml/workspace/workspace-provider.ts';
import { maxXmlBytes } from '../../accounts/saml/xml-document.ts';
import { maxProviderNameLength } from '../../accounts/single-sign-on/single-sign-on-config.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceSignOnPath } from '../../owners/owner-paths.ts';
import { renderWorkspaceArea } from '../../projects/workspaces/workspace-area.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { Confirm, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { NameField, TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { workspaceSignOnTexts } from './workspace-sign-on-texts.ts';

export const maxMetadataUrlLength = 2000;
export const maxAttributesLength = 1000;

export interface WorkspaceSignOnPageProps {
  frame: PageFrame;
  workspace: Workspace;
  /** Null if the server does not know its address. */
  addresses: (ServiceProviderAddresses & { signIn: string }) | null;
  provider: WorkspaceProvider | null;
  kept: KeptMetadata | null;
  /** Whether this session is signed in at the provider. */
  isSignedOn: boolean;
  /** Whether this session may not use the Workspace. Its owner can then only stop requiring single sign-on. */
  isBarred: boolean;
  /** Whether the viewer could still stop requiring the provider if it fails. */
  canRecover: boolean;
  done: string | null;
  submitted: Submitted;
  errors: { [Field in keyof Submitted]?: readonly string[] | undefined };
}

export interface Submitted {
  name?: string;
  metadata_url?: string;
  metadata?: string;
  attributes?: string;
}

const t = workspaceSignOnTexts;

export function renderWorkspaceSignOn(props: WorkspaceSignOnPageProps): string {
  const { frame, workspace, addresses, isBarred } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'sign-on',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <>
        {addresses === null && <p class="secondary">{t.noAddress}</p>}
        <div class="panel">
          {!isBarred && addresses !== null && <Addresses {...addresses} />}
          {!isBarred && <Provider {...props} />}
          <Requirement {...props} />
        </div>
      </>
    ),
  });
}

function Addresses({ entityId, acs, logout, signIn }: NonNullable<WorkspaceSignOnPageProps['addresses']>) {
  const values = [
    [t.addresses.metadata, entityId],
    [t.addresses.acs, acs],
    [t.addresses.logout, logout],
    [t.addresses.signIn, signIn],
  ] as const;
  return (
    <SettingsSection id="addresses" title={t.addresses.title} line={t.addresses.line}>
      {values.map(([label, value]) => (
        <div class="field" key={label}>
          <p class="strong">{label}</p>
          <CodeBlock text={value} label={label} />
        </div>
      ))}
    </SettingsSection>
  );
}

function Provider({ frame, workspace, provider, kept, submitted, errors }: WorkspaceSignOnPageProps) {
  const path = workspaceSignOnPath(workspace.name);
  return (
    <SettingsSection id="provider" title={t.provider.title} line={t.provider.line}>
      {provider && (
        <p class="secondary">
          {t.provider.entity}: <bdi class="machine">{provider.entityId}</bdi>
          <br />
          {kept?.readAt != null && t.provider.read({ time: timeOf(kept.readAt, frame.now) })}
        </p>
      )}
      {kept?.problem != null && <p class="secondary">{t.provider.problem({ problem: kept.problem })}</p>}
      <PostForm frame={frame} class="form" action={`${path}/save`}>
        <NameField
          label={t.provider.name}
          hint={t.provider.nameHint}
          value={submitted.name ?? provider?.name ?? ''}
          errors={errors.name}
          maxLength={maxProviderNameLength}
        />
        <TextField
          id="metadata_url"
          type="url"
          label={t.provider.url}
          hint={t.provider.urlHint}
          value={submitted.metadata_url ?? provider?.metadataUrl ?? ''}
          errors={errors.metadata_url}
          maxLength={maxMetadataUrlLength}
        />
        <Field
          id="metadata"
          label={t.provider.metadata}
          hint={t.provider.metadataHint}
          errors={errors.metadata ?? []}
          control={(attributes) => (
            <textarea
              {...attributes}
              name="metadata"
              rows={6}
              maxLength={maxXmlBytes}
              dir="ltr"
              spellcheck={false}
            >
              {submitted.metadata ?? (provider?.metadataUrl === null ? (kept?.xml ?? '') : '')}
            </textarea>
          )}
        />
        <TextField
          id="attributes"
          label={t.provider.attributes}
          hint={t.provider.attributesHint}
          value={submitted.attributes ?? provider?.attributes ?? ''}
          errors={errors.attributes}
          maxLength={maxAttributesLength}
        />
        <p class="actions">
          <SubmitButton label={t.provider.save} tone="primary" />
        </p>
      </PostForm>
      {provider && provider.requiredAt === null && (
        <Confirm
          frame={frame}
          action={`${path}/remove`}
          ask={t.provider.remove}
          label={t.provider.remove}
          line={t.provider.removeLine({ provider: provider.name })}
          tone="quiet"
        />
      )}
    </SettingsSection>
  );
}

function Requirement(props: WorkspaceSignOnPageProps) {
  const { frame, workspace, provider, isSignedOn, isBarred } = props;
  if (!provider) return null;
  const { name, requiredAt } = provider;
  const path = workspaceSignOnPath(workspace.name);
  const signIn = withTarget(workspaceSamlPaths(workspace.name).signIn, path);
  return (
    <SettingsSection id="requirement" title={t.requirement.title} line={t.requirement.line}>
      <p>
        {requiredAt === null
          ? t.requirement.off
          : t.requirement.on({ provider: name, time: timeOf(requiredAt, frame.now) })}
      </p>
      {isBarred && <p class="secondary">{t.requirement.recovery({ provider: name })}</p>}
      {!props.canRecover && (
        <p class="secondary">
          <a href={securityPath(path)}>{t.requirement.factor}</a>
        </p>
      )}
      {requiredAt !== null && (
        <Confirm
          frame={frame}
          action={`${path}/requirement/turn-off`}
          ask={t.requirement.turnOff}
          label={t.requirement.turnOff}
          line={t.requirement.turnOffLine}
          tone="quiet"
        />
      )}
      {requiredAt === null && isSignedOn && (
        <Confirm
          frame={frame}
          action={`${path}/requirement/turn-on`}
          ask={t.requirement.turnOn}
          label={t.requirement.turnOn}
          line={t.requirement.turnOnLine({ provider: name })}
          tone="quiet"
        />
      )}
      {requiredAt === null && !isSignedOn && (
        <>
          <p class="secondary">{t.requirement.check({ provider: name })}</p>
          <p class="actions">
            <a class="button" href={signIn}>
              <bdi>{t.requirement.signIn({ provider: name })}</bdi>
            </a>
          </p>
        </>
      )}
    </SettingsSection>
  );
}
