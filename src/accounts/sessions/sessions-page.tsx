import { Badge } from '../../web/components/callout.tsx';
import { Confirm, SuccessMessage } from '../../web/components/form-field.tsx';
import { isolated, lastDayOf, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { accountTexts } from '../account-texts.ts';
import { sessionsPath } from '../profile/account-paths.ts';
import { renderSettings } from '../profile/settings-frame.tsx';
import { type SessionLine, sessionLifetimeMs } from './session.ts';
import { readBrowserWords } from './user-agent-label.ts';

const t = accountTexts.sessions;

export function renderSessionsPage(props: {
  frame: PageFrame;
  sessions: readonly SessionLine[];
  done: string | null;
}): string {
  const { frame, sessions } = props;
  return renderSettings({
    frame,
    part: 'sessions',
    line: t.line,
    children: (
      <>
        <SuccessMessage sentence={props.done} />
        <ul class="link-list">
          {sessions.map((session) => (
            <Session key={session.id} frame={frame} session={session} />
          ))}
        </ul>
        {sessions.some(({ current }) => !current) && (
          <div class="after-list">
            <Confirm
              frame={frame}
              action={`${sessionsPath}/end-others`}
              ask={t.endOthers}
              line={t.endOthersLine}
              tone="plain"
            />
          </div>
        )}
      </>
    ),
  });
}

function nameOf({ userAgent }: SessionLine): string {
  const { browser, system } = readBrowserWords(userAgent);
  const name = browser ?? t.unknownBrowser;
  return system === null ? name : t.on({ browser: name, system });
}

function Session({ frame, session }: { frame: PageFrame; session: SessionLine }) {
  const name = nameOf(session);
  const isExtendable = session.endsAt < session.createdAt + sessionLifetimeMs;
  return (
    <li class="person">
      <div>
        <span class="with-badge">
          <span class="version">{name}</span> {session.current && <Badge tone="good">{t.current}</Badge>}
        </span>
        <p class="hint">
          {(isExtendable ? t.factsExtendable : t.facts)({
            address: session.address,
            network: isolated,
            seen: timeOf(session.lastSeenAt, frame.now),
            signedIn: timeOf(session.createdAt, frame.now),
            expires: lastDayOf(session.endsAt),
          })}
        </p>
      </div>
      {!session.current && (
        <Confirm
          frame={frame}
          action={`${sessionsPath}/${encodeURIComponent(session.id)}/end`}
          ask={t.end}
          label={t.endOf({ what: name })}
          line={t.endLine}
          tone="quiet"
        />
      )}
    </li>
  );
}
