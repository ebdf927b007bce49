/** Installs by system version, page and build. */

import type { App } from '../../apps/app.ts';
import { pageSettingsPath, revisionPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatCount } from '../../web/components/formats.ts';
import type { CountedBuild, CountedPage } from './activity-props.ts';
import { activityTexts } from './activity-texts.ts';
import type { SystemCount } from './page-count.ts';

const t = activityTexts;
const maxSystems = 6;

/** `share`: 0 to 1. */
function ShareBar({ share }: { share: number }) {
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.round(Math.min(1, share) * 1000) / 10} height="6" />
    </svg>
  );
}

export function BySystem({ systems }: { systems: readonly SystemCount[] }) {
  const rest = systems.slice(maxSystems);
  const shown = [
    ...systems.slice(0, maxSystems),
    ...(rest.length > 0
      ? [
          {
            system: t.otherSystems({ count: rest.length }),
            installs: rest.reduce((sum, one) => sum + one.installs, 0),
          },
        ]
      : []),
  ];
  const max = Math.max(1, ...shown.map(({ installs }) => installs));
  const total = systems.reduce((sum, { installs }) => sum + installs, 0);
  return (
    <section class="panel" aria-labelledby="systems">
      <div class="panel-head">
        <h2 id="systems">{t.systems}</h2>
        <span class="soft fine">{t.installCount({ count: total })}</span>
      </div>
      {shown.length === 0 ? (
        <p class="panel-pad soft">{t.noSystems}</p>
      ) : (
        <ul class="bars panel-pad">
          {shown.map(({ system, installs }) => (
            <li key={system}>
              <span>{system}</span>
              <span class="soft">{formatCount(installs)}</span>
              <ShareBar share={installs / max} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function ByPage({ pages }: { pages: readonly CountedPage[] }) {
  const max = Math.max(1, ...pages.map(({ installs }) => installs));
  return (
    <section class="panel" aria-labelledby="by-page">
      <div class="panel-head">
        <h2 id="by-page">{t.pages}</h2>
      </div>
      <ul class="bars panel-pad">
        {pages.map((page) => (
          <li key={page.pageId}>
            <a class="plain cut" href={pageSettingsPath(page.accessKey)}>
              <bdi>{page.name}</bdi>
            </a>
            <span class="soft">
              {page.allowed === null
                ? t.people({ count: page.installed + page.guests })
                : t.peopleOf({ some: page.installed, all: page.allowed })}
            </span>
            <ShareBar share={page.installs / max} />
            <span class="soft fine">{t.pageLine({ installs: page.installs, opened: page.views })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ByBuild(props: { app: App; builds: readonly CountedBuild[]; moreBuilds: boolean }) {
  const { app, builds } = props;
  if (builds.length === 0) return null;
  const max = Math.max(1, ...builds.map(({ people }) => people));
  return (
    <section class="section" aria-labelledby="by-build">
      <div class="section-head">
        <h2 id="by-build">{t.byBuild}</h2>
        {props.moreBuilds && <span class="soft fine">{t.newestBuilds({ count: builds.length })}</span>}
      </div>
      <div class="panel">
        <table class="table cards" aria-labelledby="by-build">
          <thead>
            <tr>
              <th scope="col">{t.build}</th>
              <th scope="col" class="bar-column">
                {t.peopleColumn}
              </th>
              <th scope="col" class="num">
                {t.installs}
              </th>
              <th scope="col" class="num">
                {t.opened}
              </th>
            </tr>
          </thead>
          <tbody>
            {builds.map((build) => (
              <tr key={build.revision}>
                <th scope="row">
                  <span class="line-1">
                    <span class="revision">{appTexts.app.revision({ revision: build.revision })}</span>
                    <a
                      class="plain strong"
                      href={revisionPath(app.owner, app.platform, app.packageName, build.revision)}
                    >
                      <bdi>{versionText(build)}</bdi>
                    </a>
                  </span>
                </th>
                <td data-label={t.peopleColumn}>
                  <span class="bar-cell">
                    <span>{formatCount(build.people)}</span>
                    <ShareBar share={build.people / max} />
                  </span>
                </td>
                <td class="num" data-label={t.installs}>
                  {formatCount(build.installs)}
                </td>
                <td class="num" data-label={t.opened}>
                  {formatCount(build.views)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
