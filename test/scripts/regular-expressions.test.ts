/** The check finds regular expressions that take more than linear time, in TypeScript, TSX and scripts. */
import { describe, expect, it } from 'vitest';

const { regularExpressionErrors } = (await import('../../scripts/regular-expressions.mjs' as string)) as {
  regularExpressionErrors(path: string, source: string): string[];
};

describe('the regular expression check', () => {
  it.each([
    ['/^(?:a+)+$/', 'exponential'],
    ['/^(?:a|a)*$/', 'exponential'],
    ['/\\s*,\\s*/', 'quadratic'],
    ['/^"?\\d+\\d+$/', 'polynomial'],
    ['/=+$/', 'quadratic'],
    ["new RegExp('x+y+$')", 'quadratic'],
  ])('reports %s', (pattern, fault) => {
    const source = `const a: string | undefined = x as unknown;\nconst b = ${pattern}.test(a!);\n`;
    const errors = regularExpressionErrors('a.ts', source);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatch(/^a\.ts:2:\d+ /);
    expect(errors.join()).toContain(fault);
    expect(regularExpressionErrors('a.tsx', `const a = <p title={${pattern}.source}>text</p>;`)).not.toEqual(
      [],
    );
  });

  it('accepts linear expressions, several in one line too', () => {
    const source = "const a = [/^\\d+$/, /[a-z]+/g, 'a / b / c'.replace(/\\//g, '')]; const b = 4 / 2 / 1;";
    expect(regularExpressionErrors('a.ts', source)).toEqual([]);
  });
});
