/** Explains uploads from CI, with snippets that are ready to paste. */
import { type Owner, workspaceOf } from '../../owners/owner.ts';
import { OwnerHead } from '../../owners/owner-area.tsx';
import { ciPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { FormHead } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { Tabs } from '../../web/components/tabs.tsx';
import { TitleBlock } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { type CiSystem, ciSnippet, ciSystems } from './ci-snippets.ts';
import { ciTexts } from './ci-texts.ts';

export interface CiPageProps {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  system: CiSystem;
  /** Shown once, right after it was created. */
  key: string | null;
}

const t = ciTexts;

export function renderCiPage(props: CiPageProps): string {
  const { frame, owner, key } = props;
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
        {key !== null && <NewKey value={key} />}
        <Snippet {...props} />
        <dl class="facts">
          <div>
            <dt>{t.iosTitle}</dt>
            <dd>{t.ios}</dd>
          </div>
          <div>
            <dt>{t.publishTitle}</dt>
            <dd>{t.publish}</dd>
          </div>
        </dl>
        <p>
          <a href={sitePaths.docs}>{t.more}</a>
        </p>
      </div>
    ),
  });
}

function NewKey({ value }: { value: string }) {
  return (
    <div class="callout callout-good" role="status" data-news tabIndex={-1}>
      <p class="callout-title">{t.keyCreated}</p>
      <p>{t.keyLine}</p>
      <CopyLine address={value} name={t.keyCreated} />
    </div>
  );
}

function Snippet({ frame, owner, system }: CiPageProps) {
  const address = `${frame.origin}/api/users/${encodeURIComponent(owner.name)}/apps`;
  return (
    <section class="code" aria-label={t.snippetLabel({ system: t.systems[system] })}>
      <div class="code-head">
        <Tabs
          label={t.systemsLabel}
          tabs={ciSystems.map((name) => ({
            label: t.systems[name],
            address: `${ciPath(owner)}?system=${name}`,
            isCurrent: name === system,
          }))}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls sideways, also with the keyboard */}
      <pre tabIndex={0} data-copy-source>
        <code>{ciSnippet(system, address)}</code>
      </pre>
      <div class="panel-foot">
        <span>{t.secretOf[system]}</span>
        <form method="post" action={`${ciPath(owner)}/create-key?system=${system}`}>
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
