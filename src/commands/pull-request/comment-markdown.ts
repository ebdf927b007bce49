/**
 * The comment on a pull request: one table, one row per platform and page. Each row is also stored in the comment as data, from
 * which the next upload writes the whole comment again.
 */
import { formatBytes } from '../../core/byte-size.ts';
import { printable, truncate } from '../terminal-text.ts';

export interface CommentRow {
  /** Server, owner, platform, package and page: a later build replaces the row. */
  key: string;
  platform: string;
  app: string;
  version: string;
  revision: number;
  page: string | null;
  buildUrl: string | null;
  pageUrl: string | null;
  qrUrl: string | null;
  size: number | null;
  sizeChange: number | null;
  problems: string[];
  /** How many checks have which result; null if they are not known. */
  checks: string | null;
  /** What checks did not pass, the worst first. */
  findings: string[];
  notes: string[];
  commit: string | null;
  /** Whether the page was closed with the pull request. */
  closed: boolean;
}

/** Comments begin with it. */
export const commentMarker = '<!-- slipway:pull-request -->';
const rowMark = /<!-- slipway:row ([A-Za-z0-9+/=]+) -->/g;
/** GitHub accepts 65,536 characters. */
const maxRows = 20;
const maxFindings = 5;
const maxTextLength = 120;
const maxFindingLength = 300;
const maxUrlLength = 500;

export interface CommentState {
  rows: readonly CommentRow[];
  closed: boolean;
}

/** Reads what another upload has written. Anyone who can edit the comment could have changed it. */
export function readRows(body: string): CommentRow[] {
  return [...body.matchAll(rowMark)].flatMap(([, data = '']) => {
    try {
      return [rowOf(JSON.parse(Buffer.from(data, 'base64').toString('utf8')))];
    } catch {
      return [];
    }
  });
}

function rowOf(value: Readonly<Record<string, unknown>>): CommentRow {
  const text = (name: string) => truncate(printable(String(value[name] ?? '')), maxTextLength);
  const integer = (name: string) => (Number.isSafeInteger(value[name]) ? Number(value[name]) : null);
  const texts = (name: string) =>
    [value[name] ?? []]
      .flat()
      .slice(0, maxFindings)
      .map((each) => truncate(printable(String(each)), maxFindingLength));
  const url = (name: string) => webAddress(value[name]);
  return {
    key: String(value.key).slice(0, 2 * maxUrlLength),
    platform: text('platform'),
    app: text('app'),
    version: text('version'),
    revision: integer('revision') ?? 0,
    page: value.page === null ? null : text('page'),
    buildUrl: url('buildUrl'),
    pageUrl: url('pageUrl'),
    qrUrl: url('qrUrl'),
    size: integer('size'),
    sizeChange: integer('sizeChange'),
    problems: texts('problems'),
    checks: text('checks') || null,
    findings: texts('findings'),
    notes: texts('notes'),
    commit: value.commit === null ? null : text('commit'),
    closed: value.closed === true,
  };
}

/** With the characters encoded that end a link or a cell of a table. */
function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxUrlLength || !/^https?:\/\//i.test(value)) return null;
  if (!URL.canParse(value)) return null;
  const encode = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return new URL(value).href.replace(/["'()<>[\]\\`|*_~]/g, (mark) => (mark === '_' ? mark : encode(mark)));
}

/** A later revision replaces an earlier one with the same key, and a repeated job the row of the first. */
export function mergeRows(rows: readonly CommentRow[]): CommentRow[] {
  const byKey = new Map<string, CommentRow>();
  for (const row of rows) {
    const known = byKey.get(row.key);
    const isRepeated = known?.revision === row.revision && (row.closed || !known.closed);
    if (!known || known.revision < row.revision || isRepeated) byKey.set(row.key, row);
  }
  const newest = [...byKey.values()].sort((one, other) => other.revision - one.revision).slice(0, maxRows);
  const order = ({ platform, app, page, key }: CommentRow) => `${platform}\n${app}\n${page}\n${key}`;
  return newest.sort((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** Returns a normalized row, as it will be read again. */
export const newRow = (row: CommentRow): CommentRow => rowOf({ ...row });

/** The same for the same rows, so that two uploads at once write the same comment. */
export function commentBody({ rows, closed }: CommentState, noun: string): string {
  const data = rows.map(
    (row) => `<!-- slipway:row ${Buffer.from(JSON.stringify(row)).toString('base64')} -->`,
  );
  const end = closed ? `\n\nThis ${noun} is closed.` : '';
  return `${commentMarker}\n${data.join('\n')}\n\n### Builds of this ${noun}\n\n${rowsTable(rows)}${end}\n`;
}

export function rowsTable(rows: readonly CommentRow[]): string {
  const findings = rows.flatMap((row) => {
    const of = rows.length > 1 ? `${code(row.app)} (${code(row.platform)}): ` : '';
    return [
      ...row.problems.map((each) => `- **Cannot be installed:** ${of}${code(each)}`),
      ...row.findings.map((each) => `- ${of}${code(each)}`),
      ...row.notes.map((each) => `- ${of}${code(each)}`),
    ];
  });
  return [
    '| App | Build | Size | Checks | Install |',
    '|---|---|---|---|---|',
    ...rows.map(tableRow),
    ...(findings.length > 0 ? ['', ...findings] : []),
  ].join('\n');
}

function tableRow(row: CommentRow): string {
  const version = code(`${row.version}, revision ${row.revision}`);
  const build = row.buildUrl ? `[${version}](${row.buildUrl})` : version;
  const cells = [
    `${code(row.app)}<br>${code(row.platform)}`,
    row.commit ? `${build}<br>${code(row.commit.slice(0, 12))}` : build,
    `${row.size === null ? '' : formatBytes(row.size)}${changeOf(row)}`,
    checksCell(row),
    installCell(row),
  ];
  return `| ${cells.join(' | ')} |`;
}

function changeOf({ sizeChange }: CommentRow): string {
  if (sizeChange === null) return '';
  const sign = sizeChange > 0 ? '+' : '−';
  return sizeChange === 0 ? '<br>±0' : `<br>${sign}${formatBytes(Math.abs(sizeChange))}`;
}

function checksCell({ checks, buildUrl }: CommentRow): string {
  if (checks === null) return '';
  return buildUrl ? `[${code(checks)}](${buildUrl}/checks)` : code(checks);
}

function installCell({ page, pageUrl, qrUrl, closed }: CommentRow): string {
  if (!pageUrl) return '';
  const name = page ? code(page) : 'Open';
  if (closed) return `${name}<br>Page closed`;
  const picture = qrUrl ? `<br><img src="${qrUrl}" width="120" alt="QR code">` : '';
  return `[${name}](${pageUrl})${picture}`;
}

/**
 * Shows a text from a package or another person as code, where neither Markdown nor HTML, mentions, references or links have an
 * effect. The characters that could end it are replaced by similar ones.
 */
const code = (text: string) =>
  `\`${printable(text).replaceAll('`', '\u02cb').replaceAll('|', '\u00a6').replaceAll('\\', '\u29f5') || '–'}\``;
