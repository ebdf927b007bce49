import { ciPath } from '../../owners/owner-paths.ts';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { Mark } from '../../web/shell/mark.tsx';
import { texts } from '../../web/shell/texts.ts';
import { appTexts } from '../app-texts.ts';

const t = appTexts.firstUpload;

/** Shell command that uploads a build to an owner on this server. */
export function uploadCommand(origin: string, ownerName: string): string {
  return [
    `curl ${origin}/api/users/${encodeURIComponent(ownerName)}/apps \\`,
    '  -H "Authorization: Bearer $SLIPWAY_API_KEY" \\',
    '  -F file=@app-release.apk \\',
    '  --form-string message="First build"',
  ].join('\n');
}

/** Shown for an owner without apps. */
export function NoAppsYet(props: {
  origin: string;
  ownerName: string;
  /** Path of the browser upload. Null if the viewer has no forms. */
  uploadAddress: string | null;
}) {
  const { ownerName, uploadAddress } = props;
  return (
    <div class="first-upload">
      <h2>{t.title}</h2>
      <p class="soft">{t.line}</p>
      {uploadAddress !== null && (
        <div class="drop">
          <Mark />
          <p class="strong">{t.drop}</p>
          <p class="actions">
            <a class="button button-primary" href={uploadAddress}>
              <Glyph name="upload" />
              {t.choose}
            </a>
          </p>
        </div>
      )}
      <h2>{t.ci}</h2>
      {uploadAddress !== null && (
        <>
          <p class="soft">{t.ciLine}</p>
          <p class="actions">
            <a class="button" href={ciPath({ name: ownerName })}>
              {t.setUpCi}
            </a>
          </p>
          <h3>{t.curl}</h3>
        </>
      )}
      <CodeBlock text={uploadCommand(props.origin, ownerName)} label={texts.home.commandLabel} />
      <p class="soft fine">{texts.home.emptyKey}</p>
    </div>
  );
}
