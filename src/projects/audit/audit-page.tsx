import type { ComponentChildren } from 'preact';
import { messageAt } from '../../core/language/catalog.ts';
import type { AuditRow } from '../../owners/audit.ts';
import type { Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Field } from '../../web/components/form-field.tsx';
import { isolated, strong, type Tag } from '../../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type AuditFilterValues, queryOf } from './audit-request.ts';
import { auditTexts } from './audit-texts.ts';

export interface AuditPageProps {
  frame: PageFrame;
  /** Null: the log of the whole installation. */
  of: { owner: Owner; permissions: OwnerPermissions } | null;
  /** Path of the page. */
  address: string;
  asked: AuditFilterValues;
  invalidDays: readonly ('from' | 'to')[];
  rows: readonly AuditRow[];
  paging: PageLinks;
}

const t = auditTexts;

export function renderAuditPage(props: AuditPageProps): string {
  const { frame, of } = props;
  const children = (
    <>
      <search aria-label={t.filter}>
        <Filter {...props} />
      </search>
      <Log {...props} />
      <Paging links={props.paging} label={t.more} />
      {props.rows.length > 0 && <Exports {...props} />}
    </>
  );
  if (of) {
    return renderOwnerArea({ frame, ...of, part: 'audit', title: t.title, line: t.line, children });
  }
  return renderAdministration({ frame, part: 'audit', title: t.title, line: t.line, children });
}

const hasFilters = (asked: AuditFilterValues) => Object.values(asked).some((value) => value !== '');

function Filter({ address, asked, invalidDays }: AuditPageProps) {
  return (
    <form class="audit-filter" method="get" action={address}>
      <div class="field">
        <label for="action">{t.action}</label>
        <select id="action" name="action">
          <option value="" selected={asked.action === ''}>
            {t.anyAction}
          </option>
          {Object.keys(t.sentences).map((action) => (
            <option key={action} value={action} selected={asked.action === action}>
              {actionText(action, '…')}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="actor">{t.actor}</label>
        <input
          id="actor"
          name="actor"
          type="text"
          value={asked.actor}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          title={t.actorHint}
        />
      </div>
      {(['from', 'to'] as const).map((name) => (
        <Field
          key={name}
          id={name}
          label={t[name]}
          errors={invalidDays.includes(name) ? [t.badDay] : []}
          control={(marks) => (
            <input {...marks} name={name} type="date" value={asked[name]} title={t.dayHint} />
          )}
        />
      ))}
      <p class="actions">
        <button class="button" type="submit">
          {t.apply}
        </button>
        {hasFilters(asked) && <a href={address}>{t.clear}</a>}
      </p>
    </form>
  );
}

function Log({ frame, rows, asked }: AuditPageProps) {
  if (rows.length === 0) {
    return hasFilters(asked) ? (
      <EmptyState title={t.noMatches}>
        <p class="secondary">{t.noMatchesLine}</p>
      </EmptyState>
    ) : (
      <EmptyState title={t.empty}>
        <p class="secondary">{t.emptyLine}</p>
      </EmptyState>
    );
  }
  return (
    <ol class="audit">
      {rows.map((row) => (
        <li key={row.id}>
          <Entry row={row} now={frame.now} />
        </li>
      ))}
    </ol>
  );
}

/** One entry; opens to show its details, if any. */
function Entry(props: { row: AuditRow; now: number }): ComponentChildren {
  const { now } = props;
  const row = withReadableSubject(props.row);
  const details = Object.entries(row.details).filter(([, value]) => value !== null);
  const line = (
    <>
      <span>
        {t.entry({
          name: messageAt(t.actors, row.actorName) ?? row.actorName,
          actor: isolated,
          action: () => actionText(row.action, row.subject, strong),
        })}
      </span>
      <span class="secondary fine audit-when">
        <Timestamp at={row.at} now={now} exact />
      </span>
    </>
  );
  if (details.length === 0) return <p class="audit-line">{line}</p>;
  return (
    <details>
      <summary class="audit-line">{line}</summary>
      <Details details={details} />
    </details>
  );
}

/** Describes an action; one of another version by its name. */
function actionText(action: string, name: string, subject: Tag = (children) => children): ComponentChildren {
  const sentences: Readonly<Record<string, ActionMessage | undefined>> = t.sentences;
  const sentence = sentences[action] ?? (() => [action, ' ', subject(name)]);
  if (name !== '') return sentence({ name, subject });
  const parts = [sentence({ name, subject: () => null })].flat();
  return parts.join('').replace(/[:：]? ?$/, '');
}

type ActionMessage = (values: { name: string; subject: Tag }) => ComponentChildren;

/** Earlier versions recorded a canceled invitation by its id only, which is meaningless to a reader. */
function withReadableSubject(row: AuditRow): AuditRow {
  if (row.action !== 'invitation.revoked' || 'invitation' in row.details) return row;
  return { ...row, subject: '', details: { invitation: row.subject } };
}

function Details({ details }: { details: readonly (readonly [string, unknown])[] }) {
  return (
    <dl class="facts">
      {details.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code class="machine">{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Exports({ address, asked }: AuditPageProps) {
  return (
    <p class="fine secondary audit-export">
      <span>{t.export}</span>{' '}
      <a class="export-link" href={`${address}.csv${queryOf(asked)}`}>
        {t.csv}
      </a>{' '}
      <a class="export-link" href={`${address}.jsonl${queryOf(asked)}`}>
        {t.jsonLines}
      </a>
    </p>
  );
}
