import type { ComponentChildren } from 'preact';
import { messageAt } from '../../core/language/catalog.ts';
import type { AuditRow } from '../../owners/audit.ts';
import type { Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Field, SubmitButton } from '../../web/components/form-field.tsx';
import { isolated, strong, type Tag } from '../../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { readableDetails } from './audit-details.ts';
import { type AuditFilterValues, queryOf } from './audit-request.ts';
import { type ReadableSubject, readableSubject } from './audit-subject.ts';
import { auditTexts } from './audit-texts.ts';
import { sentenceTexts } from './sentences/sentence-texts.ts';

export interface AuditPageProps {
  frame: PageFrame;
  /** Null for the log of the whole installation. */
  of: { owner: Owner; permissions: OwnerPermissions } | null;
  /** Path of the page. */
  address: string;
  asked: AuditFilterValues;
  invalidDays: readonly ('from' | 'to')[];
  rows: readonly AuditRow[];
  /** Addresses of invitations that are still open, by id. */
  addresses: ReadonlyMap<string, string>;
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
          {Object.keys(sentenceTexts).map((action) => (
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
          control={(attributes) => (
            <input {...attributes} name={name} type="date" value={asked[name]} title={t.dayHint} />
          )}
        />
      ))}
      <p class="actions">
        <SubmitButton label={t.apply} />
        {hasFilters(asked) && <a href={address}>{t.clear}</a>}
      </p>
    </form>
  );
}

function Log({ frame, rows, addresses, asked }: AuditPageProps) {
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
          <Entry row={row} addresses={addresses} now={frame.now} />
        </li>
      ))}
    </ol>
  );
}

/** A sentence, and the changes. Identifiers are only in the export. */
function Entry({
  row,
  addresses,
  now,
}: {
  row: AuditRow;
  addresses: AuditPageProps['addresses'];
  now: number;
}) {
  const key = keyOf(row);
  const said = {
    name: messageAt(t.actors, row.actorName) ?? row.actorName,
    actor: isolated,
    action: () => sentenceOf(row, readableSubject(row, addresses)),
  };
  const details = readableDetails(row);
  return (
    <div class="audit-line">
      <div>
        <p>{key === null ? t.entry(said) : t.entryByKey({ ...said, keyName: key, key: isolated })}</p>
        {details.length > 0 && (
          <ul class="trail audit-details">
            {details.map((line) => (
              <li key={line}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
      <span class="secondary fine audit-when">
        <Timestamp at={row.at} now={now} exact />
      </span>
    </div>
  );
}

/** Returns the name that the API key had when it was used. */
function keyOf({ details: { key } }: AuditRow): string | null {
  const { name } = typeof key === 'object' && key !== null ? (key as { name?: unknown }) : {};
  return typeof name === 'string' ? name : null;
}

function sentenceOf({ action, actorName }: AuditRow, { name, place }: ReadableSubject): ComponentChildren {
  const own: Readonly<Record<string, string | PairMessage | undefined>> = t.own;
  const pairs: Readonly<Record<string, PairMessage | undefined>> = t.pairs;
  const sentence =
    (name === actorName ? own[action] : undefined) ?? (place === null ? undefined : pairs[action]);
  if (typeof sentence === 'string') return sentence;
  if (sentence) return sentence({ name, place: place ?? '', subject: strong });
  return actionText(action, place === null ? name : texts.labeledText({ label: name, value: place }), strong);
}

type PairMessage = (values: { name: string; place: string; subject: Tag }) => ComponentChildren;

/** Describes an action; shows the name of an action from another version. */
function actionText(action: string, name: string, subject: Tag = (children) => children): ComponentChildren {
  const sentences: Readonly<Record<string, ActionMessage | undefined>> = sentenceTexts;
  const sentence = sentences[action] ?? (() => [action, ' ', subject(name)]);
  if (name !== '') return sentence({ name, subject });
  const parts = [sentence({ name, subject: () => null })].flat();
  return parts.join('').replace(/[:：]? ?$/, '');
}

type ActionMessage = (values: { name: string; subject: Tag }) => ComponentChildren;

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
