/** Queries on a database that fails some statements, as if the disk were full or the node had crashed. */
import type { KyselyPlugin, OperationNode, RootOperationNode } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { createTestQueries, type TestQueries } from './every-query.ts';

interface Statement {
  kind: 'select' | 'insert' | 'update' | 'delete' | 'other';
  table: string;
}

/** A statement for which `fails` returns an error is not executed, and its caller gets that error. */
export function createFailingQueries(
  database: Database,
  fails: (statement: Statement) => Error | null,
): TestQueries {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const error = fails(describeStatement(node));
      if (error) throw error;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return createTestQueries({ ...database, queries: database.queries.withPlugin(plugin) });
}

function describeStatement(node: RootOperationNode): Statement {
  if (node.kind === 'SelectQueryNode') return { kind: 'select', table: tableOf(node.from) };
  if (node.kind === 'InsertQueryNode') return { kind: 'insert', table: tableOf(node.into) };
  if (node.kind === 'UpdateQueryNode') return { kind: 'update', table: tableOf(node.table) };
  if (node.kind === 'DeleteQueryNode') return { kind: 'delete', table: tableOf(node.from) };
  return { kind: 'other', table: '' };
}

/** The first table that a part of a statement names. */
const tableOf = (part: OperationNode | undefined) =>
  /"kind":"IdentifierNode","name":"(\w+)"/.exec(JSON.stringify(part ?? null))?.[1] ?? '';
