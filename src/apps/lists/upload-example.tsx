import { CodeBlock } from '../../web/components/code-block.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { texts } from '../../web/shell/texts.ts';
import { ciPath } from '../app-paths.ts';

/** Shell command that uploads a build to an owner of this server. */
export function uploadCommand(origin: string, ownerName: string): string {
  return [
    `curl ${origin}/api/users/${encodeURIComponent(ownerName)}/apps \\`,
    '  -H "Authorization: Bearer $SLIPWAY_API_KEY" \\',
    '  -F file=@app-release.apk \\',
    '  --form-string message="First build"',
  ].join('\n');
}

/** Placeholder for an owner without apps. */
export function NoAppsYet(props: {
  origin: string;
  ownerName: string;
  /** Path of the browser upload. Null if the viewer has no forms. */
  uploadAddress: string | null;
}) {
  return (
    <EmptyState title={texts.home.emptyTitle}>
      <p class="secondary">{texts.home.emptyLine}</p>
      <CodeBlock text={uploadCommand(props.origin, props.ownerName)} label={texts.home.commandLabel} />
      <p class="secondary fine">{texts.home.emptyKey}</p>
      {props.uploadAddress !== null && (
        <p class="actions empty-way">
          <a class="button button-primary" href={props.uploadAddress}>
            {texts.nav.upload}
          </a>
          <a class="button" href={ciPath({ name: props.ownerName })}>
            {texts.links.ci}
          </a>
        </p>
      )}
    </EmptyState>
  );
}
