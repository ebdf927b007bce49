/** Every audit log action in the source has a text, and every text has an action. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/events.ts';
import { en } from '../../src/projects/audit/sentences/messages.en.ts';
import { ja } from '../../src/projects/audit/sentences/messages.ja.ts';

const auditSentences: Readonly<Record<string, string>> = en;
const root = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('-queries.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.includes('/db/') && !/audit.messages\.\w+\.ts$/.test(file));
/** Without events that are only logged. */
const sources = files.map((file) => readFileSync(file, 'utf8').replaceAll(/event: '[^']+'/g, ''));

/** Webhook events have names of the same form. */
const events: ReadonlySet<string> = new Set(eventTypes);

const nouns = new Set(Object.keys(auditSentences).map((action) => action.split('.')[0]));
const word = '[a-z]+(?:-[a-z]+)*';
/** `'noun.action'` in any text, where the log knows the noun or the text is used as an action. */
const actions = new Set(
  sources.flatMap((text) => [
    ...[...text.matchAll(new RegExp(`'(${word}\\.${word})'`, 'g'))]
      .map(([, action = '']) => action)
      .filter(
        (action) =>
          nouns.has(action.split('.')[0]) &&
          !(events.has(action) && !(action in auditSentences)) &&
          !/\.(ts|tsx|js|css|svg|name|txt|apk|ipa)$/.test(action),
      ),
    ...[...text.matchAll(/action: '([^']+)'/g)].map(([, action = '']) => action),
  ]),
);

describe('the audit log texts', () => {
  it('have a sentence for every action of the source', () => {
    expect(actions.size).toBeGreaterThan(25);
    expect([...actions].filter((action) => !(action in auditSentences)).sort()).toEqual([]);
  });

  it('have no sentence for unused actions', () => {
    expect(Object.keys(auditSentences).filter((action) => !actions.has(action))).toEqual([]);
  });

  it('describe only actions that occur as a literal in the source', () => {
    const composed = sources.flatMap((text) => text.match(/action: `[^`]*`/g) ?? []);
    expect(composed).toEqual([]);
  });

  it('name the action and its object in each sentence', () => {
    for (const [action, sentence] of Object.entries(auditSentences)) {
      expect(action).toMatch(new RegExp(`^${word}\\.${word}$`));
      expect(sentence.split('<subject>{name}</subject>')).toHaveLength(2);
      expect(
        (ja as Readonly<Record<string, string>>)[action]?.split('<subject>{name}</subject>'),
      ).toHaveLength(2);
    }
  });
});
