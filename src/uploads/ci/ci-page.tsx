/** Explains uploads from CI, with snippets ready to paste. */
import type { App } from '../../apps/app.ts';
import { type Owner, workspaceOf } from '../../owners/owner.ts';
import { OwnerHead } from '../../owners/owner-area.tsx';
import { ciPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { Tabs } from '../../web/components/tabs.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths, withQuery } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { type CiSystem, ciSnippet, ciSystems } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';

export interface CiPageProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  system: CiSystem;
  /** The app that the page was opened for, to which a new key is restricted. */
  app: App | null;
  /** The page that the snippet publishes to. */
  page: string;
  /** Shown once, right after its creation. */
  key: string | null;
}

const t = ciTexts;

export function renderCiPage(props: CiPageProps): string {
  const { frame, owner, app, key } = props;
  return renderPage({
    frame,
    workspace: workspaceOf(owner),
    title: `${t.title} · ${owner.name}`,
    section: owner.kind === 'project' ? 'projects' : 'apps',
    forms: true,
    head: <OwnerHead owner={owner} permissions={props.permissions} part="apps" />,
    children: (
      <div class="ci">
        <TitleBlock title={t.title} line={t.line({ owner: owner.name })} />
        {app && (
          <p class="soft">{t.keyOfApp({ app: `${texts.platforms[app.platform]} · ${app.packageName}` })}</p>
        )}
        {key !== null && <NewKey value={key} ofApp={app !== null} />}
        <Snippet {...props} />
        <dl class="facts">
          <div>
            <dt>{t.iosTitle}</dt>
            <dd>{t.ios}</dd>
          </div>
          <div>
            <dt>{t.publishTitle}</dt>
            <dd>{t.publish({ page: props.page })}</dd>
          </div>
        </dl>
        <p>
          <a href={sitePaths.docs}>{t.more}</a>
        </p>
      </div>
    ),
  });
}

const ciLink = (path: string, system: CiSystem, app: App | null) =>
  withQuery(path, { system, app: app ? `${app.platform}/${app.packageName}` : '' });

function NewKey({ value, ofApp }: { value: string; ofApp: boolean }) {
  return (
    <div class="callout callout-good" role="status" data-news tabIndex={-1}>
      <p class="callout-title">{t.keyCreated}</p>
      <p>{ofApp ? t.keyLineOfApp : t.keyLine}</p>
      <CopyLine address={value} name={t.keyCreated} />
    </div>
  );
}

function Snippet({ frame, owner, system, app, page }: CiPageProps) {
  const link = (path: string, name: CiSystem) => ciLink(path, name, app);
  const address = `${frame.origin}/api/users/${encodeURIComponent(owner.name)}/apps`;
  return (
    <section class="code" aria-label={t.systemsLabel}>
      <div class="code-head">
        <Tabs
          label={t.systemsLabel}
          tabs={ciSystems.map((name) => ({
            label: t.systems[name],
            address: link(ciPath(owner), name),
            isCurrent: name === system,
          }))}
        />
      </div>
      <CodeBlock
        text={ciSnippet(system, address, page)}
        label={t.snippetLabel({ system: t.systems[system] })}
      />
      <div class="panel-foot">
        <span>{t.secretOf[system]}</span>
        <form method="post" action={link(`${ciPath(owner)}/create-key`, system)}>
          <FormHead frame={frame} />
          <button class="button" type="submit">
            <Glyph name="key" />
            {t.createKey}
          </button>
        </form>
      </div>
    </section>
  );
}
