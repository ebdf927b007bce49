/** Management forms of a build. Every form works without scripts. */

import { Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatNames } from '../../web/components/formats.ts';
import { FoldedList } from '../../web/components/result-list.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { Build } from '../app.ts';
import { undoHours } from '../deletion/build-deletion.ts';
import { buildTexts } from './build-texts.ts';

export interface BuildActions {
  /** Path of the build, and prefix of the paths of its forms. */
  address: string;
  /** Form value: the current message, or the rejected input. */
  submittedMessage: string;
  /** Digest of the current message. */
  seenMessage: string;
  messageError: string | null;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
  /** The pages that serve the build, for people who manage them. */
  holding: readonly { name: string; settingsAddress: string }[];
}

interface ManagementProps {
  frame: PageFrame;
  build: Build;
  management: BuildActions;
}

const t = buildTexts;

export function MessageForm({ frame, build, management }: ManagementProps) {
  const errors = management.messageError === null ? undefined : [management.messageError];
  return (
    <details class="quiet-fold" open={errors !== undefined}>
      <summary>{build.message === '' ? t.message.add : t.message.edit}</summary>
      <PostForm
        frame={frame}
        class="form"
        action={`${management.address}/message`}
        data-guard={management.messageError !== null ? 'changed' : ''}
      >
        <input type="hidden" name="seen" value={management.seenMessage} />
        <Field
          id="new-message"
          label={t.message.label}
          hint={t.message.hint}
          errors={errors}
          control={(attributes) => (
            <textarea {...attributes} name="message" rows={8} dir="auto" value={management.submittedMessage}>
              {management.submittedMessage}
            </textarea>
          )}
        />
        <SubmitButton label={t.message.save} tone="primary" />
      </PostForm>
    </details>
  );
}

/** The protection form and, if the build can be deleted, the deletion form. */
export function ManagementSection({ frame, build, management }: ManagementProps) {
  return (
    <section class="care" aria-labelledby="care">
      <h2 id="care">{t.manage}</h2>
      <PostForm frame={frame} action={`${management.address}/${build.protected ? 'unprotect' : 'protect'}`}>
        <p class="hint">{build.protected ? t.unprotectHint : t.protectHint}</p>
        <SubmitButton label={build.protected ? t.unprotect : t.protect} />
      </PostForm>
      {!build.protected && <Removal frame={frame} management={management} />}
    </section>
  );
}

function Removal({ frame, management }: Omit<ManagementProps, 'build'>) {
  if (management.holding.length > 0) {
    return (
      <div>
        <p class="hint">
          {t.remove.held({
            count: management.holding.length,
            pages: formatNames(management.holding.map(({ name }) => `“${name}”`)),
          })}
        </p>
        <FoldedList
          style="link-list"
          rows={management.holding.map(({ name, settingsAddress }) => (
            <li key={settingsAddress}>
              <a href={settingsAddress}>{t.remove.settingsOf({ page: name })}</a>
            </li>
          ))}
        />
      </div>
    );
  }
  return (
    <PostForm frame={frame} action={`${management.address}/delete`}>
      <p class="hint">{t.remove.hint({ hours: undoHours })}</p>
      <SubmitButton label={t.remove.button} tone="danger" />
    </PostForm>
  );
}
