import type { ComponentChildren } from 'preact';
import type { Workspace } from '../../owners/owner.ts';
import { workspacePath } from '../../owners/owner-paths.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { ConsoleHead, type Crumb } from '../../web/shell/console-head.tsx';
import { texts } from '../../web/shell/texts.ts';

/** The bar of the pages of a Workspace. */
export function WorkspaceHead(props: {
  workspace: Workspace;
  origin: string;
  /** The pages below the Workspace; none on its own page. */
  crumbs?: readonly Crumb[];
  actions?: ComponentChildren;
}) {
  const { workspace, origin, crumbs = [] } = props;
  const { name, displayName, iconUrl } = workspace;
  const address = workspacePath(name);
  return (
    <ConsoleHead
      crumbs={crumbs.length > 0 ? [{ label: displayName, address }, ...crumbs] : []}
      icon={<AppIcon address={iconUrl} origin={origin} name={displayName} size="head" eager />}
      title={displayName}
      titleAddress={crumbs.length > 0 ? address : undefined}
      badges={<Badge>{texts.workspace.kind}</Badge>}
      details={<code>{name}</code>}
      actions={props.actions}
    />
  );
}
