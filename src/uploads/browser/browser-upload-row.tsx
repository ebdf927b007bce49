import { uploadTexts } from '../upload-texts.ts';

const t = uploadTexts.row;

/** A template that `upload.js` clones for each file. The script finds the parts by their names. */
export function UploadRowTemplate() {
  return (
    <template id="upload-row">
      <li class="upload-row">
        <span class="upload-icon" data-part="icon" hidden />
        <div class="upload-body">
          <p class="upload-name">
            <bdi data-part="name" />
          </p>
          <progress data-part="progress" max={1} value={0} hidden />
          <p class="upload-state" data-part="state" dir="auto" />
          <p class="upload-notice" data-part="notice" dir="auto" hidden />
          <p class="upload-links" data-part="links" hidden>
            <a class="upload-link" data-part="build" href="/">
              {t.openBuild}
            </a>
            <a class="upload-link" data-part="page" href="/" hidden>
              {t.openPage}
            </a>
          </p>
          <p class="upload-address" data-part="address" hidden>
            <code data-part="link" />
            <button class="button" type="button" data-part="copy" data-copied={t.copied} aria-live="polite">
              {t.copy}
            </button>
          </p>
          <div data-part="share" hidden />
        </div>
        <div class="upload-actions">
          {(['cancel', 'retry', 'remove'] as const).map((act) => (
            <button key={act} class="button" type="button" data-part={act} hidden>
              {t[act]}
            </button>
          ))}
        </div>
      </li>
    </template>
  );
}
