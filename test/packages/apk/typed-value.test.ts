import { expect, test } from 'vitest';
import { booleanOf, integerOf, type TypedValue, textOf } from '../../../src/packages/apk/typed-value.ts';

const string = (text: string): TypedValue => ({ kind: 'string', text });
const integer = (number: number): TypedValue => ({ kind: 'integer', number });
const float = (number: number): TypedValue => ({ kind: 'float', number: Math.fround(number) });

test.each<[TypedValue, string | null]>([
  [string('1.0'), '1.0'],
  [integer(-7), '-7'],
  [float(1), '1.0'],
  [float(1.2), '1.2'],
  [float(0.1), '0.1'],
  [{ kind: 'boolean', truth: true }, 'true'],
  [{ kind: 'color', argb: 0x80112233 }, '#80112233'],
  [{ kind: 'reference', id: 1, dynamic: false }, null],
  [{ kind: 'null', empty: true }, null],
])('converts %o to text', (value, text) => expect(textOf(value)).toBe(text));

test.each<[TypedValue, number | null]>([
  [integer(5), 5],
  [string('21'), 21],
  [string('-3'), -3],
  [string('21x'), null],
  [string(''), null],
  [{ kind: 'boolean', truth: true }, -1],
  [float(5), null],
])('converts %o to a number', (value, number) => expect(integerOf(value)).toBe(number));

test.each<[TypedValue, boolean | null]>([
  [{ kind: 'boolean', truth: true }, true],
  [{ kind: 'boolean', truth: false }, false],
  [integer(1), true],
  [integer(0), false],
  [string('true'), true],
  [string('no'), false],
  [{ kind: 'null', empty: false }, null],
])('converts %o to a boolean', (value, truth) => expect(booleanOf(value)).toBe(truth));
