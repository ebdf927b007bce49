import { toSentence } from '../../core/errors.ts';
import type { RefusingWorkspace } from '../../owners/gate/find-workspace-gate.ts';
import { workspacePath } from '../../owners/owner-paths.ts';
import { texts } from '../../web/shell/texts.ts';

/** Workspaces that refuse the viewer now, and why. Their pages have the way out. */
export function RefusedWorkspaces({ workspaces }: { workspaces: readonly RefusingWorkspace[] }) {
  if (workspaces.length === 0) return null;
  return (
    <div class="callout callout-warning" role="note">
      <p class="callout-title">{texts.home.refused}</p>
      <ul>
        {workspaces.map(({ name, refusal }) => (
          <li key={name}>
            <a href={workspacePath(name)}>
              <bdi>{name}</bdi>
            </a>
            {': '}
            <span dir="auto">{toSentence(refusal.message)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
