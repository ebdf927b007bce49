/**
 * Generates SQL for SQLite whose parameters the planner ignores. Built with SQLITE_ENABLE_STAT4, SQLite replans a
 * statement whenever a parameter that is compared to a column is bound ("the query planner might consult the values
 * of bound parameters", sqlite3_prepare_v3), which took seven times as long as running the query for an API key.
 * Without ANALYZE statistics the values would not change a plan.
 */
import { type BinaryOperationNode, OperatorNode, SqliteQueryCompiler, ValueNode } from 'kysely';

const comparisons = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>=', 'is', 'is not']);

export class SqlitePlanOnceCompiler extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const compares = OperatorNode.is(operator) && comparisons.has(operator.operator);
    if (!compares || !ValueNode.is(rightOperand) || rightOperand.immediate) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(` ${operator.operator} (select `);
    this.visitNode(rightOperand);
    this.append(')');
  }
}
