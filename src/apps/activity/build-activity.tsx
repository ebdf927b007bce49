/** The members who most recently installed or opened a build. */
import { Avatar } from '../../web/components/avatar.tsx';
import { formatList } from '../../web/components/formats.ts';
import { strong } from '../../web/components/message-tags.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { App } from '../app.ts';
import { activityPath } from '../app-paths.ts';
import { buildActivityTexts } from './activity-texts.ts';
import type { MemberActivity } from './member-activity.ts';

export interface BuildActivityProps {
  app: App;
  revision: number;
  /** Latest first. */
  activity: readonly MemberActivity[];
  now: number;
}

const t = buildActivityTexts;

/** For people who manage the app. */
export function BuildActivity({ app, revision, activity, now }: BuildActivityProps) {
  return (
    <section aria-labelledby="activity">
      <div class="section-head">
        <h2 id="activity">{t.title}</h2>
        <a class="fine" href={`${activityPath(app)}?build=${revision}#people`}>
          {t.all}
        </a>
      </div>
      {activity.length === 0 ? (
        <p class="soft">{t.none}</p>
      ) : (
        <ol class="timeline">
          {activity.map((one) => (
            <li key={one.id}>
              <Avatar name={one.userName} />
              <span>
                {(one.installedAt === null ? t.opened : t.installed)({
                  user: one.userName,
                  device: formatList([one.model, one.system].filter((name) => name !== null)),
                  strong,
                  soft: (children) => <bdi class="soft">{children}</bdi>,
                })}
              </span>
              <span class="soft fine">
                <Timestamp at={one.installedAt ?? one.lastAt} now={now} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
