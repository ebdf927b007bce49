/**
 * The baseline for List Your Projects: a Fastify route that runs the same three prepared statements on the bare driver
 * and returns the same object. With `same-work`, it writes the log line of each request, and SQLite plans its statements
 * once, as in Slipway. `node bench/bare-list.ts PORT sqlite:FILE|postgres://… [same-work]`
 */
import { createHash } from 'node:crypto';
import BetterSqlite from 'better-sqlite3';
import Fastify from 'fastify';
import pg from 'pg';
import { logRequests } from './bare-log.ts';

const columns = `o.id, o.kind, o.name, u.email, u.administrator, p.description, w.id as workspace_id,
  w.name as workspace_name, w.display_name as workspace_display_name, w.icon_url as workspace_icon_url`;
const joins = `left join users u on u.owner_id = o.id left join projects p on p.owner_id = o.id
  left join workspaces w on w.id = p.workspace_id`;
const keyText = `select k.id as key_id, k.expires_at, k.revoked_at, k.last_used_at, ${columns}
  from api_keys k inner join owners o on o.id = k.owner_id ${joins}
  where k.key_hash = $1 and u.disabled_at is null and o.deleted_at is null`;
const listText = `select ${columns} from owners o ${joins} where o.deleted_at is null
  and o.id in (select project_id from team_members where user_id = $1)`;
const policiesText = 'select policies from workspaces where id = $1';

interface Row {
  [column: string]: string | null;
}

type Run = (value: string) => Promise<Row[]> | Row[];

async function openQueries(url: string): Promise<{ key: Run; list: Run; policies: Run }> {
  if (url.startsWith('sqlite:')) {
    const database = new BetterSqlite(url.slice('sqlite:'.length), { readonly: true });
    const prepared = (text: string): Run => {
      const statement = database.prepare<[string], Row>(text.replace('$1', isSameWork ? '(select ?)' : '?'));
      return (value) => statement.all(value);
    };
    return { key: prepared(keyText), list: prepared(listText), policies: prepared(policiesText) };
  }
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const prepared =
    (name: string, text: string): Run =>
    async (value) =>
      (await pool.query<Row>({ name, text, values: [value] })).rows;
  return {
    key: prepared('key', keyText),
    list: prepared('list', listText),
    policies: prepared('policies', policiesText),
  };
}

const [port, url = '', mode] = process.argv.slice(2);
const isSameWork = mode === 'same-work';
const { key, list, policies } = await openQueries(url);
const origin = `http://127.0.0.1:${port}`;
const server = Fastify(isSameWork ? logRequests.options : { logger: false });
if (isSameWork) logRequests.add(server, 'user');
server.get('/healthz', async () => 'ok');
server.get('/api/organizations', async (request) => {
  const hash = createHash('sha256')
    .update((request.headers.authorization ?? '').slice(7))
    .digest('hex');
  const [caller] = await key(hash);
  const rows = await list(caller?.id ?? '');
  for (const id of new Set(rows.flatMap((row) => row.workspace_id ?? []))) await policies(id);
  return {
    error: false,
    organizations: rows.map((row) => ({
      type: 'Organization',
      name: row.name,
      description: row.description,
      url: `${origin}/organizations/${row.name}`,
      ...(row.workspace_id === null
        ? {}
        : {
            enterprise: {
              type: 'Enterprise',
              name: row.workspace_name,
              display_name: row.workspace_display_name,
              url: `${origin}/enterprises/${row.workspace_name}`,
              icon_url: row.workspace_icon_url,
            },
          }),
    })),
  };
});
await server.listen({ host: '127.0.0.1', port: Number(port) });
