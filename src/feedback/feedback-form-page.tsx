/** The form in which testers write feedback. */

import type { App } from '../apps/app.ts';
import { distributionPath } from '../apps/app-paths.ts';
import { versionText } from '../apps/builds/version-text.ts';
import { formatBytes } from '../core/byte-size.ts';
import type { DistributionPage, DistributionUpdate } from '../distributions/distribution-page.ts';
import { sendFeedbackPath } from '../distributions/page-paths.ts';
import { workspaceOf } from '../owners/owner.ts';
import { Refusal } from '../web/components/callout.tsx';
import { Facts } from '../web/components/facts.tsx';
import { ErrorSummary, Field, PostForm, SubmitButton } from '../web/components/form-field.tsx';
import { joinSentences } from '../web/components/formats.ts';
import { FileField } from '../web/components/inputs/file-field.tsx';
import { SelectField } from '../web/components/inputs/select-field.tsx';
import { isolated } from '../web/components/message-tags.tsx';
import { renderPage } from '../web/shell/layout.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { maxEmailLength, maxScreenshotBytes, maxScreenshots } from './feedback.ts';
import { feedbackTexts } from './feedback-texts.ts';

export interface FeedbackFormProps {
  frame: PageFrame;
  page: Pick<DistributionPage, 'accessKey' | 'name'>;
  app: Pick<App, 'owner' | 'latestName' | 'packageName'>;
  /** Builds of the page, newest first. */
  builds: readonly Pick<DistributionUpdate, 'revision' | 'versionName' | 'versionCode'>[];
  submitted: { text: string; email: string; revision: string };
  errors: Readonly<Record<string, readonly string[] | undefined>>;
  /** Why the form was refused as a whole, as a full sentence. */
  refusal: string | null;
  /** Address of the sender's account; null if it has none and an address can be entered. */
  accountEmail: string | null;
  account: string | null;
  device: string;
}

const t = feedbackTexts.form;
const nameOf = ({ app }: { app: Pick<App, 'latestName' | 'packageName'> }) =>
  app.latestName ?? app.packageName;

export function renderFeedbackForm(props: FeedbackFormProps): string {
  const { frame, page, errors, submitted, refusal } = props;
  const labels = { text: t.text, screenshots: t.screenshots, email: t.email, revision: t.build };
  const wrong = Object.entries(labels).filter(([id]) => errors[id] !== undefined);
  return renderPage({
    frame,
    workspace: workspaceOf(props.app.owner),
    shell: 'visitor',
    title: t.titleOf({ app: nameOf(props) }),
    forms: true,
    width: 'narrow',
    children: (
      <>
        <div class="page-head">
          <h1>{t.title}</h1>
          <p class="secondary page-line">{t.line({ app: nameOf(props), name: isolated })}</p>
        </div>
        <Refusal sentence={refusal} />
        <ErrorSummary
          title={t.problem}
          line={t.problemLine}
          errors={wrong.map(([id, label]) => ({ id, label }))}
        />
        <PostForm
          frame={frame}
          class="form"
          action={sendFeedbackPath(page.accessKey)}
          encType="multipart/form-data"
        >
          <Field
            id="text"
            label={t.text}
            hint={t.textHint}
            errors={errors.text}
            control={(attributes) => (
              <textarea {...attributes} name="text" rows={8} dir="auto" required value={submitted.text}>
                {submitted.text}
              </textarea>
            )}
          />
          <BuildField {...props} />
          <EmailField {...props} />
          <p hidden>
            <label for="website">{t.website}</label>
            <input id="website" name="website" type="text" value="" autocomplete="off" tabIndex={-1} />
          </p>
          <ScreenshotsField {...props} />
          <section aria-labelledby="sent">
            <h2 id="sent">{t.sent}</h2>
            <Facts
              facts={[
                { label: t.device, value: <bdi>{props.device}</bdi> },
                { label: t.page, value: <bdi>{page.name}</bdi> },
                { label: t.account, value: props.account && <bdi>{props.account}</bdi> },
              ]}
            />
          </section>
          <p class="actions">
            <SubmitButton label={t.submit} tone="primary" />
            <a class="button" href={distributionPath(page.accessKey)}>
              {t.back}
            </a>
          </p>
        </PostForm>
      </>
    ),
  });
}

function BuildField({ builds, submitted, errors }: FeedbackFormProps) {
  return (
    <SelectField
      id="revision"
      label={t.build}
      errors={errors.revision}
      value={submitted.revision}
      options={builds.map((build) => [
        String(build.revision),
        t.buildOption({ version: versionText(build), revision: build.revision }),
      ])}
    />
  );
}

function EmailField({ accountEmail, submitted, errors }: FeedbackFormProps) {
  return (
    <Field
      id="email"
      label={t.email}
      hint={accountEmail === null ? t.emailHint : t.emailFixed}
      errors={errors.email}
      control={(attributes) => (
        <input
          {...attributes}
          name="email"
          type="email"
          value={accountEmail ?? submitted.email}
          readOnly={accountEmail !== null}
          maxLength={maxEmailLength}
          autocomplete="email"
        />
      )}
    />
  );
}

/** Phones convert pictures from other formats if the field accepts only these. */
function ScreenshotsField({ errors, refusal }: FeedbackFormProps) {
  const isRejected = refusal !== null || Object.keys(errors).length > 0;
  const hint = t.screenshotsHint({ count: maxScreenshots, size: formatBytes(maxScreenshotBytes) });
  return (
    <FileField
      id="screenshots"
      label={t.screenshots}
      hint={isRejected ? joinSentences([hint, t.chooseAgain]) : hint}
      errors={errors.screenshots}
      accept="image/png,image/jpeg"
      multiple
    />
  );
}

export function renderFeedbackSent({
  frame,
  page,
  app,
}: Pick<FeedbackFormProps, 'frame' | 'page' | 'app'>): string {
  return renderPage({
    frame,
    workspace: workspaceOf(app.owner),
    shell: 'visitor',
    title: t.thanksTitle,
    width: 'narrow',
    children: (
      <div class="notice-page">
        <h1>{t.thanksTitle}</h1>
        <p class="lead" role="status">
          {t.thanks}
        </p>
        <p class="actions">
          <a class="button button-primary" href={distributionPath(page.accessKey)}>
            {t.back}
          </a>
          <a class="button" href={sendFeedbackPath(page.accessKey)}>
            {t.another}
          </a>
        </p>
        <p class="secondary fine">
          <bdi>{nameOf({ app })}</bdi>
        </p>
      </div>
    ),
  });
}
