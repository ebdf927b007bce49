/** Describes the subject of an audit log entry in the language of the reader. The log stores it once, in English. Pure. */
import { messageAt } from '../../core/language/catalog.ts';
import { type AuditRow, auditSubjects } from '../../owners/audit.ts';
import { texts } from '../../web/shell/texts.ts';
import { describeLimits, describeRule } from './audit-details.ts';
import { auditTexts } from './audit-texts.ts';

export interface ReadableSubject {
  name: string;
  /** The place that the subject joined, was given or has. Null if the sentence only needs the name. */
  place: string | null;
}

const t = auditTexts.subjects;
const alone = (name: string): ReadableSubject => ({ name, place: null });

type Reader = (parts: readonly string[], row: AuditRow) => ReadableSubject;
const platformOf = (name = '') => messageAt(texts.platforms, name) ?? name;
const teamOf = (team = '') => messageAt(t.teams, team) ?? team;

/** Forms of subjects, by the actions that write them. The first match is used. */
const forms: readonly (readonly [actions: RegExp, form: RegExp, read: Reader])[] = [
  [
    /^(build|check)\./,
    /^(.+) \((android|ios)\) revision (\d+)$/,
    ([app = '', platform, revision = '']) =>
      alone(t.build({ app, platform: platformOf(platform), revision })),
  ],
  [
    /^page\./,
    /^(.+?) \((android|ios)\) page (.+)$/,
    ([app = '', platform, page = '']) => alone(t.page({ app, platform: platformOf(platform), page })),
  ],
  [
    /^(build\.deleted|retention\.removed)$/,
    /^(.+) \((android|ios)\) builds? (.+)$/,
    ([app = '', platform, builds = '']) => alone(t.builds({ app, platform: platformOf(platform), builds })),
  ],
  [
    /^hook\./,
    /^(\S+) for (.+) \((android|ios)\)$/,
    ([host = '', app = '', platform]) => alone(t.hookOfApp({ host, app, platform: platformOf(platform) })),
  ],
  [/^hook\./, /^(\S+) for (\S+)$/, ([host = '', owner = '']) => alone(t.hookOfOwner({ host, owner }))],
  [
    /^mail\./,
    /^(.+) for (Android|iOS) to (\S+)$/,
    ([app = '', platform = '', user = '']) => alone(t.mail({ app, platform, user })),
  ],
  [
    /./,
    /^(.+) \((android|ios)\)$/,
    ([app = '', platform]) => alone(t.app({ app, platform: platformOf(platform) })),
  ],
  [
    /^(team|invitation)\./,
    /^(\S+):? (owner|developer|tester) team$/,
    ([name = '', team]) => ({ name: name.replace(/:$/, ''), place: teamOf(team) }),
  ],
  [/^retention\.set$/, /^(.+): [^:]+$/, ([name = ''], row) => ({ name, place: describeRule(row) })],
  [/^quota\.set$/, /^(.+): [^:]+$/, ([name = ''], row) => ({ name, place: describeLimits(row) })],
  [
    /^(access|invitation|invite-link|quota\.moved|workspace|group)\b/,
    /^(.+?): (.+)$/,
    ([name = '', place = '']) => ({
      name,
      place: /^(owner|developer|tester)$/.test(place) ? teamOf(place) : place,
    }),
  ],
];

/** `addresses`: email addresses of open invitations, by id. */
export function readableSubject(row: AuditRow, addresses: ReadonlyMap<string, string>): ReadableSubject {
  const { action, subject } = row;
  for (const [actions, form, read] of forms) {
    const [, ...parts] = (actions.test(action) && form.exec(subject)) || [];
    if (parts.length > 0) return read(parts, row);
  }
  if (action.startsWith('invitation.')) return invited(row, addresses);
  if (subject === auditSubjects.unknownName) return alone(t.unknownName);
  return alone(subject === auditSubjects.unknownPerson ? t.unknownPerson : subject);
}

/** A person without an account, or with a link, who was invited to a team, an app or the installation. */
function invited({ subject, details }: AuditRow, addresses: ReadonlyMap<string, string>): ReadableSubject {
  const { invitation, mailed, to } = details;
  const address = addresses.get(String(invitation)) ?? (typeof to === 'string' ? to : null);
  const [, team] = /^(owner|developer|tester) team$/.exec(subject) ?? [];
  const place = team ? teamOf(team) : subject === auditSubjects.newUser ? t.installation : subject;
  return { name: address ?? (mailed === true ? t.byEmail : t.byLink), place };
}
