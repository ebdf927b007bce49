import { expect, it } from 'vitest';
import { createRefusalLog } from '../../src/operations/observability/logger.ts';

it('the refusal log counts each refusal, and logs one of each kind per minute', () => {
  let clock = Date.UTC(2026, 10, 21);
  const counted: string[] = [];
  const lines: unknown[] = [];
  const tell = createRefusalLog({
    log: { warn: (facts: unknown) => lines.push(facts) },
    count: (kind) => counted.push(kind),
    now: () => clock,
  });
  for (let time = 0; time < 3; time++) tell('wrong-key', `203.0.113.${time}`);
  tell('upload-by-key', 'harbour');
  expect(counted).toEqual(['wrong-key', 'wrong-key', 'wrong-key', 'upload-by-key']);
  const first = { kind: 'wrong-key', from: '203.0.113.0' };
  const second = { kind: 'upload-by-key', from: 'harbour' };
  expect(lines).toEqual([first, second]);
  clock += 59_999;
  tell('wrong-key', null);
  expect(lines).toHaveLength(2);
  clock += 1;
  tell('wrong-key', null);
  expect(lines.slice(2)).toEqual([{ kind: 'wrong-key', from: null }]);
  // A clock that is set back a day does not suppress the log for a day.
  clock -= 86_400_000;
  tell('wrong-key', null);
  expect(lines).toHaveLength(4);
});
