import { fullSentence } from '../../core/errors.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Field, FormHead } from '../../web/components/form-field.tsx';
import { Moment } from '../../web/components/moment.tsx';
import { securityActionPath } from '../profile/account-addresses.ts';
import { SecurityAction } from '../second-factor/security-action.tsx';
import type { SecurityPageProps } from '../second-factor/security-page-props.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { maxPasskeyNameLength, maxPasskeysOfUser, type PasskeyLine } from './passkey.ts';

const words = securityTexts.passkeys;

/** Lists a person's passkeys, with a form to add one. */
export function PasskeyList(props: SecurityPageProps) {
  const { passkeys } = props;
  const full = passkeys.length >= maxPasskeysOfUser;
  return (
    <>
      {passkeys.length === 0 ? (
        <EmptyState title={words.none}>
          <p class="secondary">{words.noneLine}</p>
        </EmptyState>
      ) : (
        <ul class="link-list">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} {...props} passkey={passkey} />
          ))}
        </ul>
      )}
      {!props.supportsPasskeys && <p class="hint">{words.needsHttps}</p>}
      {full && <p class="hint">{words.full(maxPasskeysOfUser)}</p>}
      {props.supportsPasskeys && !full && <AddPasskey {...props} />}
    </>
  );
}

function PasskeyItem(props: SecurityPageProps & { passkey: PasskeyLine }) {
  const { frame, to, passkey, fault } = props;
  const { name } = passkey;
  const refused = fault?.form === 'rename-passkey' && fault.passkey === passkey.id ? fault.sentence : null;
  return (
    <li>
      <span class="version" dir="auto">
        {name}
      </span>
      <p class="hint">
        {words.created} <Moment at={passkey.createdAt} now={frame.now} />
        {' · '}
        {passkey.lastUsedAt === null ? (
          words.neverUsed
        ) : (
          <>
            {words.lastUsed} <Moment at={passkey.lastUsedAt} now={frame.now} />
          </>
        )}
      </p>
      <div class="folds">
        <details class="quiet-fold" open={refused !== null}>
          <summary aria-label={words.renameOf(name)}>{words.rename}</summary>
          <form class="form" method="post" action={securityActionPath(`passkeys/${passkey.id}/rename`, to)}>
            <FormHead frame={frame} />
            <NameField
              id={`name-${passkey.id}`}
              value={name}
              faults={refused === null ? undefined : [fullSentence(refused)]}
            />
            <p class="actions">
              <button class="button" type="submit">
                {words.renameButton}
              </button>
            </p>
          </form>
        </details>
        <SecurityAction
          frame={frame}
          to={to}
          action={`passkeys/${passkey.id}/remove`}
          title={words.remove}
          label={words.removeOf(name)}
          line={`${words.removeLine} ${securityTexts.sessionsEnd}`}
          danger
        >
          {words.removeButton(name)}
        </SecurityAction>
      </div>
    </li>
  );
}

function NameField(props: { id: string; value: string; faults: readonly string[] | undefined }) {
  return (
    <Field
      id={props.id}
      label={words.name}
      hint={words.nameHint}
      faults={props.faults}
      control={(marks) => (
        <input
          {...marks}
          name="name"
          type="text"
          value={props.value}
          autocomplete="off"
          maxLength={maxPasskeyNameLength}
          required
        />
      )}
    />
  );
}

/** Links to the page that creates a passkey. The script shows it if the browser supports passkeys. */
function AddPasskey({ frame, to, suggestedName, fault }: SecurityPageProps) {
  const refused = fault?.form === 'add-passkey' ? [fullSentence(fault.sentence)] : undefined;
  return (
    <>
      <noscript>
        <p class="hint">{words.needsScript}</p>
      </noscript>
      <form
        class="form add-passkey"
        method="post"
        action={securityActionPath('passkeys/create', to)}
        hidden
        data-needs-passkeys
      >
        <FormHead frame={frame} />
        <h3>{words.add}</h3>
        <NameField id="passkey-name" value={suggestedName} faults={refused} />
        <p class="actions">
          <button class="button" type="submit">
            {words.addButton}
          </button>
        </p>
      </form>
    </>
  );
}
