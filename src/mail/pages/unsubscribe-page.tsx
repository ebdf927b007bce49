import type { Platform } from '../../packages/package-info.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import { mailSettingsPath, resubscribePath, unsubscribePath } from './mail-paths.ts';

export interface UnsubscribePageProps {
  frame: PageFrame;
  token: string;
  userName: string;
  about: { app: string; platform: Platform } | { owner: string };
  /** `ask`: nothing has changed yet. */
  state: 'ask' | 'off' | 'on';
}

const t = mailTexts.unsubscribe;
const titles = () => ({ ask: t.title, off: t.offTitle, on: t.onTitle });
const sentences = { ask: t.question, off: t.off, on: t.on };
const sentencesOfOwner = { ask: t.questionOfOwner, off: t.offOfOwner, on: t.onOfOwner };

/**
 * Target of the unsubscribe link: asks for confirmation and shows the result. Its forms need no session, because the
 * link is secret.
 */
export function renderUnsubscribePage(props: UnsubscribePageProps): string {
  const { frame, token, state, about } = props;
  const sentence =
    'owner' in about
      ? sentencesOfOwner[state](about)
      : sentences[state]({ app: about.app, platform: texts.platforms[about.platform] });
  return renderPage({
    frame,
    title: titles()[state],
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{titles()[state]}</h1>
        <p class="lead" dir="auto" role={state === 'ask' ? undefined : 'status'}>
          {sentence}
        </p>
        <div class="actions">
          {state === 'off' ? (
            <PostForm frame={frame} action={resubscribePath(token)}>
              <SubmitButton label={t.undo} />
            </PostForm>
          ) : (
            <form method="post" action={unsubscribePath(token)}>
              <SubmitButton label={t.confirm} tone={state === 'ask' ? 'primary' : undefined} />
            </form>
          )}
        </div>
        <p class="secondary fine">
          {t.account({ name: props.userName })} <a href={mailSettingsPath}>{t.settings}</a>
        </p>
      </div>
    ),
  });
}
