import type { Project } from '../owners/owner.ts';
import { projectPath } from '../owners/owner-addresses.ts';
import { AppIcon } from '../web/app-icon.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { type PageLinks, Paging } from '../web/paging.tsx';
import { siteAddresses } from '../web/site-addresses.ts';
import { texts } from '../web/texts.ts';
import { type AppLine, AppList } from './app-list.tsx';
import { NoAppsYet } from './upload-example.tsx';

export interface HomePageProps {
  frame: PageFrame;
  /** Null when nobody is signed in; then the page says what this is. */
  content: {
    /** The owner to whom the example command uploads: the viewer's own name. */
    uploadTo: string;
    /** Across all owners that the viewer may see, latest upload first. */
    apps: readonly AppLine[];
    paging: PageLinks;
    projects: readonly Project[];
  } | null;
}

export function renderHomePage({ frame, content }: HomePageProps): string {
  return content
    ? renderPage({ frame, title: texts.home.title, children: <SignedIn frame={frame} content={content} /> })
    : renderPage({
        frame,
        title: texts.product,
        description: texts.home.intro,
        width: 'narrow',
        children: <Introduction />,
      });
}

function Introduction() {
  return (
    <div class="introduction">
      <h1>{texts.home.introTitle}</h1>
      <p class="lead">{texts.home.intro}</p>
      <p class="actions">
        <a class="button" href={siteAddresses.signIn}>
          {texts.signIn}
        </a>
        <a class="button button-plain" href={siteAddresses.docs}>
          {texts.docs}
        </a>
      </p>
      <p class="secondary">{texts.home.introTester}</p>
    </div>
  );
}

function SignedIn({ frame, content }: { frame: PageFrame; content: NonNullable<HomePageProps['content']> }) {
  return (
    <div class={content.projects.length > 0 ? 'columns' : undefined}>
      <div>
        <h1>{texts.home.title}</h1>
        {content.apps.length > 0 ? (
          <AppList frame={frame} apps={content.apps} showOwner />
        ) : (
          <NoAppsYet origin={frame.origin} ownerName={content.uploadTo} />
        )}
        <Paging links={content.paging} label={texts.home.moreApps} />
      </div>
      <Projects frame={frame} projects={content.projects} />
    </div>
  );
}

function Projects({ frame, projects }: { frame: PageFrame; projects: readonly Project[] }) {
  if (projects.length === 0) return null;
  return (
    <section class="aside" aria-labelledby="projects">
      <h2 id="projects">{texts.home.projects}</h2>
      <ul class="link-list">
        {projects.map(({ id, name, workspace }) => (
          <li key={id}>
            <a href={projectPath(name)}>{name}</a>
            {workspace && (
              <span class="secondary with-icon">
                <AppIcon
                  address={workspace.iconUrl}
                  origin={frame.origin}
                  name={workspace.displayName}
                  size="small"
                />
                <bdi>{workspace.displayName}</bdi>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
