/** The page of the browser upload. */

import { type App, appName } from '../../apps/app.ts';
import { appUploadPath, ownerUploadPath, platformAppPath, uploadPath } from '../../apps/app-paths.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { maxDistributionNameLength } from '../../distributions/distribution-page.ts';
import { type Owner, workspaceOf } from '../../owners/owner.ts';
import { ciPath, ownerPath } from '../../owners/owner-paths.ts';
import { packageExtensions } from '../../packages/package-extensions.ts';
import { Badge, Callout } from '../../web/components/callout.tsx';
import { DropOverlay } from '../../web/components/drop-overlay.tsx';
import { Choice, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { scriptTexts, uploadTexts } from '../upload-texts.ts';
import type { UploadValues } from './browser-form.ts';
import { UploadRowTemplate } from './browser-upload-row.tsx';

export interface UploadTarget {
  owner: Owner;
  /** The only accepted app, or null for any app of the owner. */
  app: App | null;
  /** Pages of the app, latest change first. */
  pages: readonly { accessKey: string; name: string }[];
}

export interface BrowserUploadProps {
  frame: PageFrame;
  place: UploadTarget;
  submitted: UploadValues;
  /** Why the last attempt was rejected, as a full sentence. */
  refusal: string | null;
  maxUploadBytes: number;
}

const t = uploadTexts;

export function renderBrowserUpload(props: BrowserUploadProps): string {
  const { frame, place, refusal } = props;
  return renderPage({
    frame,
    workspace: workspaceOf(place.owner),
    title: t.newBuildOf({ name: nameOfTarget(place) }),
    forms: true,
    scripts: ['uploadScript'],
    width: 'narrow',
    head: <UploadHead place={place} />,
    children: (
      <>
        {refusal !== null && (
          <div role="alert">
            <Callout tone="danger" title={t.refused} sentences={[refusal]} />
          </div>
        )}
        <UploadForm {...props} />
        <UploadRowTemplate />
        <DropOverlay name={nameOfTarget(place)} address="" />
      </>
    ),
  });
}

const nameOfTarget = ({ owner, app }: UploadTarget) => (app ? appName(app) : owner.name);

function UploadHead({ place: { owner, app } }: { place: UploadTarget }) {
  const address = app ? appUploadPath(app) : ownerUploadPath(owner);
  return (
    <ConsoleHead
      crumbs={[
        { label: owner.name, address: ownerPath(owner) },
        ...(app
          ? [
              {
                label: appName(app),
                address: platformAppPath(owner, app.platform, app.packageName),
              },
            ]
          : []),
        { label: t.title, address },
      ]}
      title={t.title}
      badges={app && <Badge>{texts.platforms[app.platform]}</Badge>}
      details={
        <>
          <span>{app ? t.lineOfApp({ packageName: app.packageName }) : t.line}</span>
          <span>
            <a class="soft" href={uploadPath}>
              {t.elsewhere}
            </a>
          </span>
          <span>
            <a class="soft" href={ciPath(owner)}>
              {texts.links.ci}
            </a>
          </span>
        </>
      }
    />
  );
}

/** The token must be the first field, because nothing before it is accepted. */
function UploadForm(props: BrowserUploadProps) {
  const { frame, place, submitted, maxUploadBytes } = props;
  const kind = place.app?.platform ?? 'both';
  return (
    <PostForm
      frame={frame}
      class="form"
      action={place.app ? appUploadPath(place.app) : ownerUploadPath(place.owner)}
      encType="multipart/form-data"
      data-upload={accepted[kind]}
      data-max-bytes={maxUploadBytes}
      data-limit={formatBytes(maxUploadBytes)}
      data-viewer={frame.viewer?.name ?? ''}
      data-words={JSON.stringify(scriptTexts())}
    >
      <div class="drop-zone">
        <FileField
          id="file"
          label={t.file}
          hint={t.kinds({ kinds: t[kind], limit: formatBytes(maxUploadBytes) })}
          accept={accepted[kind]}
          required
        />
        <p class="hint drop-hint" data-scripted hidden>
          {t.drop.anywhere}
        </p>
        <p class="hint" data-unfinished dir="auto" hidden />
        <ol class="upload-list" aria-label={t.files} hidden />
      </div>
      <Field
        id="message"
        label={t.message}
        hint={t.messageHint}
        control={(attributes) => (
          <textarea {...attributes} name="message" rows={3} dir="auto">
            {`\n${submitted.message}`}
          </textarea>
        )}
      />
      <PageFields place={place} submitted={submitted} />
      <Field
        id="note"
        label={t.note}
        hint={t.noteHint}
        control={(attributes) => (
          <textarea {...attributes} name="release_note" rows={3} dir="auto">
            {`\n${submitted.releaseNote}`}
          </textarea>
        )}
      />
      <Choice
        type="checkbox"
        id="quiet"
        name="disable_notify"
        value="true"
        checked={submitted.quiet}
        label={t.quiet}
      />
      <p class="actions">
        <SubmitButton label={t.upload} tone="primary" />
      </p>
      <p class="unseen" role="status" />
    </PostForm>
  );
}

const accepted = {
  android: packageExtensions.android.join(),
  ios: packageExtensions.ios.join(),
  both: [...packageExtensions.android, ...packageExtensions.ios].join(),
} as const;

function PageFields({ place, submitted }: Pick<BrowserUploadProps, 'place' | 'submitted'>) {
  const choice = place.pages.length > 0;
  return (
    <>
      {choice && (
        <Field
          id="page"
          label={t.page}
          hint={t.pageHint}
          control={(attributes) => (
            <select {...attributes} name="distribution_key" data-combobox-of="page-name">
              <option value="">{t.noPage}</option>
              {place.pages.map(({ accessKey, name }) => (
                <option key={accessKey} value={accessKey} selected={accessKey === submitted.distributionKey}>
                  {name}
                </option>
              ))}
            </select>
          )}
        />
      )}
      <Field
        id="page-name"
        label={choice ? t.newPage : t.newPageAlone}
        hint={choice ? t.newPageHint : t.newPageAloneHint}
        control={(attributes) => (
          <input
            {...attributes}
            name="distribution_name"
            value={submitted.distributionName}
            maxLength={maxDistributionNameLength * 2}
            autocomplete="off"
            dir="auto"
            data-combobox={place.app ? t.combobox.create({ name: '{}' }) : undefined}
            data-combobox-hint={t.combobox.hint}
          />
        )}
      />
    </>
  );
}
