/** The status of an app for a tester, with a link to the newest build. */
import { catalog } from '../../core/language/catalog.ts';
import { Badge } from '../../web/components/callout.tsx';
import type { App, Build } from '../app.ts';
import { platformAppPath } from '../app-paths.ts';
import { versionText } from '../builds/version-text.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const installStatusTexts = catalog({ en, ja });
const t = installStatusTexts;

/** The latest builds of one app that a member has opened and installed; null for none. */
export interface TesterState {
  /** The newest build that they opened or installed. */
  seen: number | null;
  installed: number | null;
  /** Builds since `seen`. */
  newer: number;
}

export function InstallStatus(props: {
  app: Pick<App, 'owner' | 'platform' | 'packageName'>;
  latest: Pick<Build, 'revision' | 'info'> | null;
  state: TesterState;
  isElsewhere: boolean;
}) {
  const { app, latest, state, isElsewhere } = props;
  if (!latest) return null;
  const { installed, seen, newer } = state;
  const isCurrent = installed === latest.revision;
  const of = { app: latest.info.name, version: versionText(latest.info) };
  return (
    <span class="install-status">
      <span class="line-1">
        {installed !== null && (
          <Badge tone={isCurrent ? 'good' : 'plain'}>{t.installed({ revision: installed })}</Badge>
        )}
        {seen === null && <Badge tone="warning">{t.new}</Badge>}
        {newer > 0 && <Badge tone="warning">{t.newer({ count: newer })}</Badge>}
      </span>
      {!isCurrent && (
        <a
          class={isElsewhere ? 'button' : 'button button-primary'}
          href={platformAppPath(app.owner, app.platform, app.packageName)}
          aria-label={installed === null ? t.installOf(of) : t.updateOf(of)}
        >
          {installed === null ? t.install : t.update}
        </a>
      )}
    </span>
  );
}
