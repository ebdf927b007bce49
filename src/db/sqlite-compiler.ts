/**
 * SQL for SQLite in which the planner does not look into parameters. Built with SQLITE_ENABLE_STAT4, SQLite plans a
 * statement anew at each binding of a parameter that stands beside a column ("the query planner might consult the values of
 * bound parameters", sqlite3_prepare_v3), which took seven times as long as running the statement that finds an API key.
 * Nothing here is analysed, so the values would change no plan.
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
