import { EmptyState } from '../../web/components/empty-state.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { timeOf } from '../../web/components/message-tags.tsx';
import { NameField } from '../../web/components/text-field.tsx';
import { securityActionPath } from '../profile/account-paths.ts';
import { SecurityAction } from '../second-factor/security-action.tsx';
import type { SecurityPageProps } from '../second-factor/security-page-props.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { maxPasskeyNameLength, maxPasskeysOfUser, type PasskeyLine } from './passkey.ts';

const t = securityTexts.passkeys;

/** Lists a person's passkeys, with a form to add one. */
export function PasskeyList(props: SecurityPageProps) {
  const { passkeys } = props;
  const full = passkeys.length >= maxPasskeysOfUser;
  return (
    <>
      {passkeys.length === 0 ? (
        <EmptyState title={t.none}>
          <p class="secondary">{props.supportsPasskeys ? t.noneLine : t.needsHttps}</p>
        </EmptyState>
      ) : (
        <ul class="link-list">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} {...props} passkey={passkey} />
          ))}
        </ul>
      )}
      {!props.supportsPasskeys && passkeys.length > 0 && <p class="hint">{t.needsHttps}</p>}
      {full && <p class="hint">{t.full({ limit: maxPasskeysOfUser })}</p>}
      {props.supportsPasskeys && !full && <AddPasskey {...props} />}
    </>
  );
}

function PasskeyItem(props: SecurityPageProps & { passkey: PasskeyLine }) {
  const { frame, to, passkey, error } = props;
  const { name } = passkey;
  const refused = error?.form === 'rename-passkey' && error.passkey === passkey.id ? error.sentence : null;
  return (
    <li>
      <span class="version" dir="auto">
        {name}
      </span>
      <p class="hint">
        {t.created({ time: timeOf(passkey.createdAt, frame.now) })}
        {' · '}
        {passkey.lastUsedAt === null
          ? t.neverUsed
          : t.lastUsed({ time: timeOf(passkey.lastUsedAt, frame.now) })}
      </p>
      <div class="folds">
        <details class="quiet-fold" open={refused !== null}>
          <summary aria-label={t.renameOf({ name })}>{t.rename}</summary>
          <PostForm
            frame={frame}
            class="form"
            action={securityActionPath(`passkeys/${passkey.id}/rename`, to)}
          >
            <PasskeyNameField
              id={`name-${passkey.id}`}
              value={name}
              errors={refused === null ? undefined : [refused]}
            />
            <p class="actions">
              <SubmitButton label={t.renameButton} tone="primary" />
            </p>
          </PostForm>
        </details>
        <SecurityAction
          frame={frame}
          to={to}
          action={`passkeys/${passkey.id}/remove`}
          title={t.remove}
          label={t.removeOf({ name })}
          line={joinSentences([t.removeLine, securityTexts.sessionsEnd])}
          danger
          button={t.removeButton({ name })}
        />
      </div>
    </li>
  );
}

const PasskeyNameField = (props: { id: string; value: string; errors: readonly string[] | undefined }) => (
  <NameField label={t.name} hint={t.nameHint} maxLength={maxPasskeyNameLength} {...props} />
);

/** Links to the page that creates a passkey. The script shows it if the browser supports passkeys. */
function AddPasskey({ frame, to, suggestedName, error }: SecurityPageProps) {
  const refused = error?.form === 'add-passkey' ? [error.sentence] : undefined;
  return (
    <>
      <noscript>
        <p class="hint">{t.needsScript}</p>
      </noscript>
      <PostForm
        frame={frame}
        class="form add-passkey"
        action={securityActionPath('passkeys/create', to)}
        hidden
        data-needs-passkeys
      >
        <h3>{t.add}</h3>
        <PasskeyNameField id="passkey-name" value={suggestedName} errors={refused} />
        <p class="actions">
          <SubmitButton label={t.addButton} tone="primary" />
        </p>
      </PostForm>
    </>
  );
}
