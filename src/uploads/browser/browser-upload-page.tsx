/** Page of the browser upload. */

import { type App, appName } from '../../apps/app.ts';
import { appUploadPath, ownerPath, ownerUploadPath, uploadPath } from '../../apps/app-addresses.ts';
import { AppOfPage } from '../../apps/app-page-head.tsx';
import { formatBytes } from '../../core/byte-size.ts';
import type { Owner } from '../../owners/owner.ts';
import { maxDistributionNameLength } from '../../pages/distribution-page.ts';
import { Callout } from '../../web/components/callout.tsx';
import { DropOverlay } from '../../web/components/drop-overlay.tsx';
import { Choice, Field, FormHead } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { uploadTexts } from '../upload-texts.ts';
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
  typed: UploadValues;
  /** Why the last attempt was rejected, as a full sentence. */
  refusal: string | null;
  maxUploadBytes: number;
}

const words = uploadTexts;

export function renderBrowserUpload(props: BrowserUploadProps): string {
  const { frame, place, refusal } = props;
  return renderPage({
    frame,
    title: words.newBuildOf(nameOfPlace(place)),
    forms: true,
    scripts: ['uploadScript'],
    width: 'narrow',
    children: (
      <>
        <Head place={place} />
        {refusal !== null && (
          <div role="alert">
            <Callout tone="danger" title={words.refused} sentences={[refusal]} />
          </div>
        )}
        <UploadForm {...props} />
        <UploadRowTemplate />
        <DropOverlay name={nameOfPlace(place)} address="" />
      </>
    ),
  });
}

const nameOfPlace = ({ owner, app }: UploadTarget) => (app ? appName(app) : owner.name);

function Head({ place: { owner, app } }: { place: UploadTarget }) {
  return (
    <div class="page-head">
      <p class="kind">
        {app ? (
          <AppOfPage app={app} />
        ) : (
          <>
            {texts.owner[owner.kind]} <a href={ownerPath(owner)}>{owner.name}</a>
          </>
        )}
      </p>
      <h1>{words.title}</h1>
      <p class="secondary page-line">
        {app ? words.lineOfApp(app.packageName) : words.line} <a href={uploadPath}>{words.elsewhere}</a>
      </p>
    </div>
  );
}

/** The token must be the first field: nothing before it is accepted. */
function UploadForm(props: BrowserUploadProps) {
  const { frame, place, typed, maxUploadBytes } = props;
  const kind = place.app?.platform ?? 'both';
  return (
    <form
      class="form"
      method="post"
      action={place.app ? appUploadPath(place.app) : ownerUploadPath(place.owner)}
      encType="multipart/form-data"
      data-upload={accepted[kind]}
      data-max-bytes={maxUploadBytes}
      data-most={formatBytes(maxUploadBytes)}
      data-words={JSON.stringify(words.script)}
    >
      <FormHead frame={frame} />
      <div class="drop-zone">
        <Field
          id="file"
          label={words.file}
          hint={words.kinds(words[kind], formatBytes(maxUploadBytes))}
          control={(marks) => <input {...marks} type="file" name="file" accept={accepted[kind]} required />}
        />
        <p class="hint drop-hint" data-scripted hidden>
          {words.drop.anywhere}
        </p>
        <ol class="upload-list" aria-label={words.files} hidden />
      </div>
      <Field
        id="message"
        label={words.message}
        hint={words.messageHint}
        control={(marks) => (
          <textarea {...marks} name="message" rows={3} dir="auto">
            {`\n${typed.message}`}
          </textarea>
        )}
      />
      <PageFields place={place} typed={typed} />
      <Field
        id="note"
        label={words.note}
        hint={words.noteHint}
        control={(marks) => (
          <textarea {...marks} name="release_note" rows={3} dir="auto">
            {`\n${typed.releaseNote}`}
          </textarea>
        )}
      />
      <Choice
        type="checkbox"
        id="quiet"
        name="disable_notify"
        value="true"
        checked={typed.quiet}
        label={words.quiet}
      />
      <p class="actions">
        <button class="button" type="submit">
          {words.upload}
        </button>
      </p>
      <p class="unseen" role="status" />
    </form>
  );
}

const accepted = { android: '.apk', ios: '.ipa', both: '.apk,.ipa' } as const;

function PageFields({ place, typed }: Pick<BrowserUploadProps, 'place' | 'typed'>) {
  const choice = place.pages.length > 0;
  return (
    <>
      {choice && (
        <Field
          id="page"
          label={words.page}
          hint={words.pageHint}
          control={(marks) => (
            <select {...marks} name="distribution_key">
              <option value="">{words.noPage}</option>
              {place.pages.map(({ accessKey, name }) => (
                <option key={accessKey} value={accessKey} selected={accessKey === typed.distributionKey}>
                  {name}
                </option>
              ))}
            </select>
          )}
        />
      )}
      <Field
        id="page-name"
        label={choice ? words.newPage : words.newPageAlone}
        hint={choice ? words.newPageHint : words.newPageAloneHint}
        control={(marks) => (
          <input
            {...marks}
            name="distribution_name"
            value={typed.distributionName}
            maxLength={maxDistributionNameLength * 2}
            autocomplete="off"
            dir="auto"
          />
        )}
      />
    </>
  );
}
