import { type Language, languageCodes, languages } from '../../core/language/languages.ts';
import { Field, PostForm, SubmitButton, SuccessMessage } from '../../web/components/form-field.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { accountTexts } from '../account-texts.ts';
import { maxEmailLength } from '../passwords/password-fields.tsx';
import {
  SingleSignOnSection,
  type SingleSignOnSectionProps,
} from '../single-sign-on/single-sign-on-section.tsx';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';
import { emailChangePath, profilePath } from './account-paths.ts';
import { renderSettings } from './settings-frame.tsx';

export interface ProfilePageProps {
  frame: PageFrame;
  name: string;
  /** The value in the form. */
  email: string;
  /** Null: automatic. */
  language: Language | null;
  /** Whether a new address must be confirmed by email. */
  byEmail: boolean;
  /** Whether people sign in with a password of this server. */
  passwords: boolean;
  /** Null if no provider is configured. */
  singleSignOn: SingleSignOnSectionProps | null;
  errors: { email?: readonly string[] };
  done: string | null;
}

const t = accountTexts.profile;

export function renderProfilePage(props: ProfilePageProps): string {
  const { frame, name, email, byEmail, errors } = props;
  return renderSettings({
    frame,
    part: 'profile',
    children: (
      <>
        <SuccessMessage sentence={props.done} />
        <div class="panel">
          <SettingsSection id="account" title={t.name} line={t.nameHint}>
            <p>
              <bdi class="version">{name}</bdi>
            </p>
          </SettingsSection>
          {!props.passwords && email !== '' && (
            <SettingsSection id="address" title={t.email} line={singleSignOnTexts.section.emailHint}>
              <p>
                <bdi>{email}</bdi>
              </p>
            </SettingsSection>
          )}
          {props.passwords && (
            <SettingsSection id="address" title={t.email} line={byEmail ? t.emailHintMail : t.emailHint}>
              <PostForm frame={frame} class="form" action={`${profilePath}/email/change`} data-guard="">
                <TextField
                  id="email"
                  label={t.email}
                  hasTitle
                  value={email}
                  errors={errors.email}
                  type="email"
                  autocomplete="email"
                  maxLength={maxEmailLength}
                  missing={accountTexts.signUp.emailError}
                  mismatch={accountTexts.signUp.emailError}
                  required
                />
                <p class="actions">
                  <SubmitButton label={t.save} tone="primary" />
                </p>
              </PostForm>
            </SettingsSection>
          )}
          <SettingsSection id="words" title={t.language} line={t.languageHint}>
            <LanguageForm frame={frame} language={props.language} />
          </SettingsSection>
          <SettingsSection id="data" title={t.data} line={t.dataHint}>
            <p class="actions">
              <a class="button" href={`${profilePath}/data.json`} download="">
                {t.downloadData}
              </a>
            </p>
          </SettingsSection>
        </div>
        {props.singleSignOn && <SingleSignOnSection {...props.singleSignOn} />}
      </>
    ),
  });
}

function LanguageForm({ frame, language }: Pick<ProfilePageProps, 'frame' | 'language'>) {
  return (
    <PostForm frame={frame} class="form" action={`${profilePath}/language/change`}>
      <Field
        id="language"
        label={t.language}
        hasTitle
        control={(attributes) => (
          <select {...attributes} name="language">
            <option value="" selected={language === null}>
              {t.automatic}
            </option>
            {languageCodes.map((code) => (
              <option key={code} value={code} lang={languages[code].locale} selected={language === code}>
                {languages[code].name}
              </option>
            ))}
          </select>
        )}
      />
      <p class="actions">
        <SubmitButton label={t.saveLanguage} />
      </p>
    </PostForm>
  );
}

/** The page behind the link in the email; a null change means that the link is not valid. */
export function renderEmailChangePage(props: {
  frame: PageFrame;
  name: string;
  change: { token: string; email: string } | null;
}): string {
  const { frame, name, change } = props;
  const title = change ? t.confirmTitle : t.goneTitle;
  return renderPage({
    frame,
    title,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{title}</h1>
        <p class="lead" dir="auto">
          {change ? t.confirmLine({ email: change.email, name }) : t.goneLine}
        </p>
        {change && (
          <PostForm frame={frame} action={`${emailChangePath(change.token)}/confirm`}>
            <SubmitButton label={t.confirm} tone="primary" />
          </PostForm>
        )}
      </div>
    ),
  });
}
