import { renderSettings } from '../../accounts/profile/settings-frame.tsx';
import { Callout } from '../../web/components/callout.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Choice, PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { MailChoice } from '../mail.ts';
import { mailTexts } from '../mail-texts.ts';

export interface MailSettingsPageProps {
  frame: PageFrame;
  /** Address of the person, or null. */
  email: string | null;
  /** Whether email is configured. */
  canSend: boolean;
  /** iOS first. */
  choices: readonly MailChoice[];
  paging: PageLinks;
  /** Address of this page of the list, to which the form returns. */
  saveAddress: string;
  saved: boolean;
}

const t = mailTexts.settings;

/** The email settings, with one checkbox for each visible app. */
export function renderMailSettingsPage(props: MailSettingsPageProps): string {
  const { frame, email, choices } = props;
  const sentences = [...(email === null ? [t.noAddress] : []), ...(props.canSend ? [] : [t.notSet])];
  return renderSettings({
    frame,
    part: 'mail',
    title: t.title,
    ...(email === null ? {} : { line: <bdi>{t.lead({ address: email })}</bdi> }),
    children: (
      <>
        <SuccessMessage sentence={props.saved ? t.savedLine : null} />
        <Callout tone="warning" title={mailTexts.unavailableTitle} sentences={sentences} />
        {choices.length === 0 ? (
          <EmptyState title={t.empty}>
            <p class="secondary">{t.emptyLine}</p>
          </EmptyState>
        ) : (
          <ChoicesForm {...props} />
        )}
        <Paging links={props.paging} label={t.more} byName />
      </>
    ),
  });
}

/** Posts `apps` with all shown apps, and `mail` with the checked ones. */
function ChoicesForm({ frame, choices, saveAddress }: MailSettingsPageProps) {
  return (
    <PostForm frame={frame} class="form" action={saveAddress} data-guard="">
      <input type="hidden" name="apps" value={choices.map(({ appId }) => appId).join(' ')} />
      {(['ios', 'android'] as const).map((platform) => (
        <Group
          key={platform}
          platform={platform}
          choices={choices.filter((choice) => choice.platform === platform)}
        />
      ))}
      <p class="actions">
        <SubmitButton label={t.save} tone="primary" />
      </p>
    </PostForm>
  );
}

function Group(props: { platform: MailChoice['platform']; choices: readonly MailChoice[] }) {
  if (props.choices.length === 0) return null;
  const { title, line } = t.groups[props.platform];
  return (
    <fieldset class="mail-choices">
      <legend>{title}</legend>
      <p class="hint">{line}</p>
      {props.choices.map((choice) => (
        <Choice
          key={choice.appId}
          type="checkbox"
          id={`mail-${choice.appId}`}
          name="mail"
          value={choice.appId}
          checked={choice.wanted}
          label={choice.appName ?? choice.packageName}
          hint={`${choice.ownerName} · ${choice.packageName}`}
        />
      ))}
    </fieldset>
  );
}
