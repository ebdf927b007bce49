/** Found by fuzzing: a refusal quoted a binary Info.plist that was read as text because its first byte was wrong. */
import { expect, it } from 'vitest';
import { say } from '../../src/packages/messages/package-messages.ts';
import { maxRefusalLength, UnreadablePackage } from '../../src/packages/package-info.ts';
import { parsePropertyList } from '../../src/packages/property-list/property-list.ts';
import { readable } from '../../src/packages/sentence.ts';

it('a refusal is one bounded line without control characters', () => {
  const binary = Buffer.from(`\x00plist00 "${'\x10\x02\x1b[2J key'.repeat(1_000)}" x`, 'latin1').subarray(1);
  const broken = Buffer.concat([Buffer.from('a = b; '), binary]);
  const error: unknown = (() => {
    try {
      return parsePropertyList(broken, 'Info.plist');
    } catch (cause) {
      return cause;
    }
  })();
  if (!(error instanceof UnreadablePackage)) throw new Error('it was read');
  expect(error.message).toMatch(/^Info\.plist is not a readable property list: a semicolon is missing/);
  expect(error.message.length).toBeLessThanOrEqual(maxRefusalLength);
  expect(error.message).not.toMatch(/\p{Cc}/u);
});

it('a refusal is truncated at maxRefusalLength, whatever it quotes', () => {
  expect(new UnreadablePackage('x'.repeat(maxRefusalLength)).message).toHaveLength(maxRefusalLength);
  expect(new UnreadablePackage('x'.repeat(maxRefusalLength + 1)).message).toMatch(/^x+…$/);
  expect(new UnreadablePackage('x'.repeat(maxRefusalLength + 1)).message).toHaveLength(maxRefusalLength);
});

it('maxQuotedLength: a warning keeps what it quotes in its place and short', () => {
  expect(say('zip-entry-twice', { name: 'a\u202eb\u2066\n\x1b[2Jc' })).toBe(
    say('zip-entry-twice', { name: 'a b [2Jc' }),
  );
  expect(say('zip-entry-twice', { name: 'x'.repeat(4_000) }).length).toBeLessThan(500);
});

it('a refusal keeps whole characters and marks omissions', () => {
  expect(readable('a\nb\u202ec\ud800', 100)).toBe('a b c\ufffd');
  expect(readable('x'.repeat(101), 100)).toBe(`${'x'.repeat(99)}…`);
  expect(readable(`${'x'.repeat(98)}😀x`, 100)).toBe(`${'x'.repeat(98)}…`);
  expect(readable('as it is', 100)).toBe('as it is');
});
