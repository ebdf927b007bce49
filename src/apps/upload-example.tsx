import { CodeBlock } from '../web/code-block.tsx';
import { EmptyState } from '../web/empty-state.tsx';
import { texts } from '../web/texts.ts';

/** The command that uploads a build to an owner of this server, ready to paste into a shell. */
export function uploadCommand(origin: string, ownerName: string): string {
  return [
    `curl ${origin}/api/users/${encodeURIComponent(ownerName)}/apps \\`,
    '  -H "Authorization: Bearer $SLIPWAY_API_KEY" \\',
    '  -F file=@app-release.apk \\',
    '  -F message="First build"',
  ].join('\n');
}

/** Stands where an owner's apps will be. */
export function NoAppsYet({ origin, ownerName }: { origin: string; ownerName: string }) {
  return (
    <EmptyState title={texts.home.emptyTitle}>
      <p class="secondary">{texts.home.emptyLine}</p>
      <CodeBlock text={uploadCommand(origin, ownerName)} label={texts.home.commandLabel} />
      <p class="secondary fine">{texts.home.emptyKey}</p>
    </EmptyState>
  );
}
