import { EmptyState } from '../web/empty-state.tsx';
import { Field, FormHead } from '../web/form-field.tsx';
import { Moment } from '../web/moment.tsx';
import { securityTexts } from '../web/security-texts.ts';
import { securityActionPath } from './account-addresses.ts';
import { ActionFold, faultOf, fullSentence } from './action-fold.tsx';
import { maxPasskeyNameLength, maxPasskeysOfUser, type PasskeyLine } from './passkey.ts';
import { PasskeyForm } from './passkey-form.tsx';
import type { SecurityPageProps } from './security-page.tsx';

const words = securityTexts.passkeys;

/** A person's passkeys, and the form that adds one. */
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
      {!props.canHavePasskeys && <p class="hint">{words.needsHttps}</p>}
      {full && <p class="hint">{words.full(maxPasskeysOfUser)}</p>}
      {props.canHavePasskeys && !full && <AddPasskey {...props} />}
    </>
  );
}

function PasskeyItem(props: SecurityPageProps & { passkey: PasskeyLine }) {
  const { frame, passkey } = props;
  const path = `passkeys/${encodeURIComponent(passkey.id)}` as const;
  const { name } = passkey;
  const refused = faultOf(props, 'rename-passkey', passkey.id);
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
          <form class="form" method="post" action={securityActionPath(`${path}/rename`, props.to)}>
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
        <ActionFold
          frame={frame}
          action={securityActionPath(`${path}/remove`, props.to)}
          title={words.remove}
          label={words.removeOf(name)}
          line={`${words.removeLine} ${securityTexts.sessionsEnd}`}
          refused={faultOf(props, 'remove-passkey', passkey.id)}
          danger
        >
          {words.removeButton(name)}
        </ActionFold>
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

/** Shown by the script, which confirms access first, where that is due, and then asks the authenticator. */
function AddPasskey(props: SecurityPageProps) {
  const refused = faultOf(props, 'add-passkey');
  return (
    <>
      <noscript>
        <p class="hint">{words.needsScript}</p>
      </noscript>
      <PasskeyForm
        deed="create"
        action={securityActionPath('passkeys/add', props.to)}
        options={securityActionPath('passkeys/options', props.to)}
        confirm={securityActionPath('passkeys/start', props.to)}
        class="form add-passkey"
      >
        <FormHead frame={props.frame} />
        <h3>{words.add}</h3>
        <NameField
          id="passkey-name"
          value={props.suggestedName}
          faults={refused === null ? undefined : [fullSentence(refused)]}
        />
        <p class="actions">
          <button class="button" type="submit">
            {words.addButton}
          </button>
        </p>
      </PasskeyForm>
    </>
  );
}
