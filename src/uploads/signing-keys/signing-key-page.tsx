/** The keys that sign APKs generated from an owner's app bundles, with actions. */

import { PasswordField } from '../../accounts/passwords/password-fields.tsx';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import type { Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import { signingKeysPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import type { StoredSigningKey } from '../../owners/signing-keys/signing-key.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import { minimumKeystorePasswordLength } from '../../owners/signing-keys/signing-keys.ts';
import { certificateFacts } from '../../packages/certificate/certificate.ts';
import { Badge } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { Choice, Confirm, Field, FormHead } from '../../web/components/form-field.tsx';
import { formatDay } from '../../web/components/formats.ts';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';

export interface SigningKeyPageProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  /** Oldest first. */
  keys: readonly StoredSigningKey[];
  done: string | null;
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
              <Key key={key.number} signingKey={key} isCurrent={key === keys.at(-1)} now={frame.now} />
            ))
        )}
        {keys.length > 0 && <RotateForm {...props} />}
        <ImportForm {...props} />
        {keys.length > 0 && <ExportForm {...props} />}
      </div>
    ),
  });
}

function Key(props: { signingKey: StoredSigningKey; isCurrent: boolean; now: number }) {
  const { signingKey: key, isCurrent, now } = props;
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
        ]}
      />
    </section>
  );
}

function RotateForm({ frame, owner }: SigningKeyPageProps) {
  return (
    <section aria-labelledby="rotate">
      <h2 id="rotate">{t.rotate.title}</h2>
      <Confirm
        frame={frame}
        action={`${signingKeysPath(owner)}/rotate`}
        ask={t.rotate.button}
        line={t.rotate.line}
        button={t.rotate.button}
        buttonTone="primary"
        tone="plain"
      />
    </section>
  );
}

function ImportForm({ frame, owner, keys, importError }: SigningKeyPageProps) {
  const words = t.import;
  return (
    <section aria-labelledby="import">
      <h2 id="import">{words.title}</h2>
      <p class="hint lead-hint">{words.line}</p>
      <form
        class="form"
        method="post"
        action={`${signingKeysPath(owner)}/import`}
        enctype="multipart/form-data"
      >
        <FormHead frame={frame} />
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
        <TextField
          id="alias"
          label={words.alias}
          hint={words.aliasHint}
          value=""
          maxLength={maxAliasLength}
        />
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
        <p class="actions">
          <button class="button" type="submit">
            {words.button}
          </button>
        </p>
      </form>
    </section>
  );
}

function ExportForm({ frame, owner, keys, passwordErrors }: SigningKeyPageProps) {
  const words = t.export;
  return (
    <section aria-labelledby="export">
      <h2 id="export">{words.title}</h2>
      <p class="hint lead-hint">{words.line}</p>
      <form class="form" method="post" action={`${signingKeysPath(owner)}/export`}>
        <FormHead frame={frame} />
        <Field
          id="number"
          label={words.key}
          control={(attributes) => (
            <select {...attributes} name="number">
              {keys.toReversed().map(({ number }) => (
                <option key={number} value={number}>
                  {t.number({ number })}
                </option>
              ))}
            </select>
          )}
        />
        <PasswordField
          id="export-password"
          name="password"
          label={words.password}
          hint={words.passwordHint({ count: minimumKeystorePasswordLength })}
          errors={passwordErrors}
          autocomplete="off"
        />
        <p class="actions">
          <button class="button" type="submit">
            {words.button}
          </button>
        </p>
      </form>
    </section>
  );
}
