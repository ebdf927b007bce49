/** The keys that sign APKs generated from an owner's app bundles, with actions. */

import { PasswordField } from '../../accounts/passwords/password-fields.tsx';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import type { Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import { signingKeysPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import type { RegisteredPackage, StoredSigningKey } from '../../owners/signing-keys/signing-key.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import { confirmationField, minimumKeystorePasswordLength } from '../../owners/signing-keys/signing-keys.ts';
import { certificateFacts, certificateSha256 } from '../../packages/certificate/certificate.ts';
import { Badge, Callout } from '../../web/components/callout.tsx';
import { CodeBlock, InlineCode } from '../../web/components/code-block.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { Choice, Confirm, FormSection } from '../../web/components/form-field.tsx';
import { formatDay, formatNames } from '../../web/components/formats.ts';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { fingerprintOf } from './key-registrations.ts';

export interface SigningKeyPageProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  /** Oldest first. */
  keys: readonly StoredSigningKey[];
  done: string | null;
  /** The packages for which keys are registered with Google. */
  registrations: readonly RegisteredPackage[];
  /** Why the key was not rotated, as full sentences. */
  rotationErrors?: readonly string[] | undefined;
  /** Why a keystore was not imported, as a full sentence. */
  importError?: string | null;
  /** Why a keystore was not exported, as full sentences. */
  passwordErrors?: readonly string[] | undefined;
}

const t = signingKeyTexts;
const maxAliasLength = 200;

export function renderSigningKeys(props: SigningKeyPageProps): string {
  const { frame, owner, permissions, keys } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: 'settings',
    settings: 'signingKeys',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <div class="stack">
        {keys.length === 0 ? (
          <p class="soft">{t.none}</p>
        ) : (
          keys
            .toReversed()
            .map((key) => (
              <Key
                key={key.number}
                signingKey={key}
                isCurrent={key === keys.at(-1)}
                now={frame.now}
                packages={packagesOf(props, key)}
              />
            ))
        )}
        {keys.length > 0 && <RotateForm {...props} />}
        <ImportForm {...props} />
        {keys.length > 0 && <ExportForm {...props} />}
      </div>
    ),
  });
}

/** Names of the packages for which the key is registered. */
function packagesOf({ registrations }: SigningKeyPageProps, key: StoredSigningKey | undefined): string[] {
  const sha256 = key && certificateSha256(key.certificate);
  return registrations.filter((one) => one.sha256 === sha256).map(({ packageName }) => packageName);
}

function Key(props: {
  signingKey: StoredSigningKey;
  isCurrent: boolean;
  now: number;
  packages: readonly string[];
}) {
  const { signingKey: key, isCurrent, now, packages } = props;
  const { subject, sha1, sha256, key: kind, validUntil } = certificateFacts(key.certificate);
  const id = `key-${key.number}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {t.number({ number: key.number })} {isCurrent && <Badge tone="good">{t.current}</Badge>}
      </h2>
      <p class="hint lead-hint">
        {t.origins[key.origin]} · {t.since({ time: timeOf(key.createdAt, now) })}
        {key.number > 1 && <> · {key.continues ? t.continues : t.starts}</>}
      </p>
      <Facts
        facts={[
          { label: buildTexts.facts.subject, value: <bdi>{subject}</bdi> },
          { label: buildTexts.facts.sha256, value: <InlineCode text={sha256} /> },
          { label: buildTexts.facts.signature, value: <InlineCode text={sha1} /> },
          { label: buildTexts.facts.key, value: kind },
          { label: buildTexts.facts.expires, value: formatDay(Date.parse(validUntil)) },
          {
            label: t.registration.label,
            value: packages.length > 0 ? formatNames(packages) : null,
          },
        ]}
      />
      <p class="strong">{t.verification.fingerprint}</p>
      <CodeBlock text={fingerprintOf(sha256)} label={t.verification.fingerprint} />
    </section>
  );
}

/** Shown if the current key is registered with Google: a new key is not. */
function RegisteredWarning({ packages, id }: { packages: readonly string[]; id: string }) {
  const words = t.registration;
  if (packages.length === 0) return null;
  const line = words.warningLine({ packages: formatNames(packages) });
  return (
    <>
      <Callout tone="warning" title={words.warning} sentences={[line]} />
      <Choice
        type="checkbox"
        id={id}
        name={confirmationField}
        value="true"
        checked={false}
        label={words.confirm}
      />
    </>
  );
}

function RotateForm(props: SigningKeyPageProps) {
  const { frame, owner, keys, rotationErrors = [] } = props;
  return (
    <section aria-labelledby="rotate">
      <h2 id="rotate">{t.rotate.title}</h2>
      {rotationErrors.length > 0 && (
        <Callout tone="danger" title={t.rotate.refused} sentences={rotationErrors} />
      )}
      <Confirm
        frame={frame}
        action={`${signingKeysPath(owner)}/rotate`}
        ask={t.rotate.button}
        line={t.rotate.line}
        buttonTone="primary"
        tone="plain"
      >
        <RegisteredWarning packages={packagesOf(props, keys.at(-1))} id="confirm-rotation" />
      </Confirm>
    </section>
  );
}

function ImportForm(props: SigningKeyPageProps) {
  const { frame, owner, keys, importError } = props;
  const words = t.import;
  return (
    <FormSection
      frame={frame}
      id="import"
      title={words.title}
      line={words.line}
      action={`${signingKeysPath(owner)}/import`}
      button={words.button}
      hasFile
    >
      <FileField
        id="keystore"
        label={words.keystore}
        hint={words.keystoreHint}
        errors={importError ? [importError] : []}
        accept=".p12,.pfx,.jks,.keystore"
        required
      />
      <PasswordField id="keystore-password" name="password" label={words.password} autocomplete="off" />
      <PasswordField
        id="key-password"
        name="key_password"
        label={words.keyPassword}
        hint={words.keyPasswordHint}
        autocomplete="off"
        required={false}
      />
      <TextField id="alias" label={words.alias} hint={words.aliasHint} value="" maxLength={maxAliasLength} />
      {keys.length > 0 && (
        <Choice
          type="checkbox"
          id="continues"
          name="continues"
          value="true"
          checked
          label={words.continues}
        />
      )}
      <RegisteredWarning packages={packagesOf(props, keys.at(-1))} id="confirm-import" />
    </FormSection>
  );
}

function ExportForm({ frame, owner, keys, passwordErrors }: SigningKeyPageProps) {
  const words = t.export;
  return (
    <FormSection
      frame={frame}
      id="export"
      title={words.title}
      line={words.line}
      action={`${signingKeysPath(owner)}/export`}
      button={words.button}
    >
      <SelectField
        id="number"
        label={words.key}
        options={keys.toReversed().map(({ number }) => [number, t.number({ number })])}
      />
      <PasswordField
        id="export-password"
        name="password"
        label={words.password}
        hint={words.passwordHint({ count: minimumKeystorePasswordLength })}
        errors={passwordErrors}
        autocomplete="off"
      />
    </FormSection>
  );
}
