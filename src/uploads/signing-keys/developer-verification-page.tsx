/** The keys of an app for Google's Android Developer Console, in the settings of the app. */

import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { developerVerificationPath } from '../../apps/app-paths.ts';
import { appSettingsParts } from '../../apps/settings/app-settings-parts.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import { Badge, Callout } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { type AppKey, fingerprintOf, maxTokenLength } from './key-registrations.ts';

export interface DeveloperVerificationProps {
  frame: PageFrame;
  head: AppHead;
  keys: readonly AppKey[];
  /** Whether the viewer may create proofs. */
  administers: boolean;
  done: string | null;
  token?: string;
  tokenErrors?: readonly string[] | undefined;
}

const t = signingKeyTexts.verification;

export function renderDeveloperVerification(props: DeveloperVerificationProps): string {
  const { frame, head, keys, done } = props;
  const isMissing = keys.some(
    ({ registeredAt, isCurrent, newestRevision }) => isCurrent && newestRevision !== null && !registeredAt,
  );
  return renderAppArea({
    frame,
    head,
    tab: 'settings',
    title: t.title,
    line: t.line,
    crumb: { label: t.title, address: developerVerificationPath(head.app) },
    settings: appSettingsParts(head.app, 'verification'),
    done,
    children: (
      <>
        {isMissing && <Callout tone="warning" title={t.missing.title} sentences={[t.missing.line]} />}
        <div class="panel">
          {keys.length === 0 ? (
            <SettingsSection id="none" title={t.fingerprint} line={signingKeyTexts.none}>
              {null}
            </SettingsSection>
          ) : (
            keys.map((key) => <KeySection key={key.number} {...props} appKey={key} />)
          )}
          {keys.length > 0 && <ProofSection {...props} />}
        </div>
      </>
    ),
  });
}

function KeySection({ frame, head, appKey }: DeveloperVerificationProps & { appKey: AppKey }) {
  const { number, isCurrent, sha256, registeredAt, newestRevision } = appKey;
  const base = `${developerVerificationPath(head.app)}/${number}`;
  const { number: name, current } = signingKeyTexts;
  return (
    <SettingsSection
      id={`key-${number}`}
      title={
        <>
          {name({ number })} {isCurrent && <Badge>{current}</Badge>}{' '}
          {registeredAt !== null && <Badge tone="good">{t.registered}</Badge>}
        </>
      }
      line={
        <>
          {newestRevision === null ? t.unused : t.used({ revision: newestRevision })}
          {registeredAt !== null && <> {t.since({ time: timeOf(registeredAt, frame.now) })}</>}
        </>
      }
    >
      <p class="strong">{t.fingerprint}</p>
      <CodeBlock text={fingerprintOf(sha256)} label={t.fingerprint} />
      <PostForm
        frame={frame}
        class="form"
        action={`${base}/${registeredAt === null ? 'register' : 'unregister'}`}
      >
        <p class="actions">
          <SubmitButton label={registeredAt === null ? t.markRegistered : t.markUnregistered} />
        </p>
      </PostForm>
    </SettingsSection>
  );
}

function ProofSection({ frame, head, keys, administers, token, tokenErrors }: DeveloperVerificationProps) {
  const words = t.proof;
  return (
    <SettingsSection id="proof" title={words.title} line={words.line}>
      {administers ? (
        <PostForm frame={frame} class="form" action={`${developerVerificationPath(head.app)}/proof`}>
          <TextField
            id="token"
            label={words.token}
            hint={words.tokenHint}
            value={token ?? ''}
            errors={tokenErrors}
            maxLength={maxTokenLength}
            autocomplete="off"
            required
          />
          <SelectField
            id="number"
            label={words.key}
            options={keys.map(({ number }) => [number, signingKeyTexts.number({ number })])}
          />
          <p class="actions">
            <SubmitButton label={words.button} />
          </p>
        </PostForm>
      ) : (
        <p class="soft">{words.ownersOnly}</p>
      )}
    </SettingsSection>
  );
}
