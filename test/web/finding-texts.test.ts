/** Warnings, problems and refusals of the package reader in the language of the visitor. */
import { describe, expect, it } from 'vitest';
import { buildNotes } from '../../src/apps/builds/build-warnings.ts';
import { findingText } from '../../src/apps/findings/finding-texts.ts';
import { runInLanguage } from '../../src/core/language/current-language.ts';
import { matchTemplate, templateOf } from '../../src/packages/messages/message-template.ts';
import {
  type PackageMessageCode,
  packageMessages,
  recognize,
  say,
} from '../../src/packages/messages/package-messages.ts';
import { makeAndroidInfo, makeBuild, now, plainText } from './hostile.ts';

const japanese = (sentence: string) => runInLanguage('ja', () => findingText(sentence));
const messages = Object.entries(packageMessages) as [PackageMessageCode, string][];
/** Values that no other message contains. */
const valuesOf = (text: string): Record<string, string> =>
  Object.fromEntries(templateOf(text).names.map((name, index) => [name, `«${index}»`]));
const sayAny = say as (code: PackageMessageCode, values?: Record<string, string>) => string;

describe('a message of the package reader', () => {
  it('is recognized by its code and values', () => {
    for (const [code, text] of messages) {
      expect(recognize(sayAny(code, valuesOf(text))), code).toEqual({ code, values: valuesOf(text) });
    }
  });

  it('has a Japanese translation with every value', () => {
    for (const [code, text] of messages) {
      const values = valuesOf(text);
      const translated = japanese(sayAny(code, values));
      expect(translated, code).toMatch(/[\u3040-\u30ff\u4e00-\u9fff]/);
      for (const value of Object.values(values)) expect(translated, code).toContain(value);
    }
  });

  it('is left as it is in English, and where this version does not know it', () => {
    for (const [code, text] of messages) {
      const sentence = sayAny(code, valuesOf(text));
      expect(findingText(sentence), code).toBe(sentence);
    }
    for (const unknown of ['The moon is full.', '', 'The target SDK is below 24. Andro…'])
      expect(japanese(unknown)).toBe(unknown);
  });

  it('is translated with a value that is a message itself, and as a full sentence', () => {
    expect(japanese(say('file-of-kind', { kind: say('kind-pdf') }))).toBe(
      'APKでもIPAでもありません（PDF文書）。',
    );
    const asWarning = 'The provisioning profile is empty.';
    expect(japanese(asWarning)).toBe('プロビジョニングプロファイルが空です。');
    expect(findingText(asWarning)).toBe(asWarning);
  });

  it('keeps values that look like placeholders or like other messages', () => {
    const name = '{name} was changed after signing. {reason}';
    expect(japanese(say('zip-entry-twice', { name }))).toBe(
      `zipアーカイブに${name}が2つ含まれているため、Androidにインストールできません。`,
    );
  });

  it('is matched in linear time', () => {
    const template = templateOf('{a} of {b} of {c}.');
    const started = performance.now();
    expect(matchTemplate(templateOf('{a} of {b} and {c}.'), `${'x of '.repeat(200_000)}.`)).toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(matchTemplate(template, '1 of 2 of 3.')).toEqual({ a: '1', b: '2', c: '3' });
    expect(matchTemplate(template, 'of of .')).toBeNull();
  });
});

describe('the warnings of a build', () => {
  const warnings = [say('target-too-old', { target: 24, release: 15 }), 'A warning of a later version.'];
  const build = {
    ...makeBuild(plainText, { ...makeAndroidInfo(plainText), warnings }),
    uploadWarnings: [say('text-cut', { field: 'message', bytes: 65_536 })],
  };

  it('are shown in Japanese, and stored in English', () => {
    expect(runInLanguage('ja', () => buildNotes(build, now).sentences)).toEqual([
      'ターゲットSDKが24未満のため、Android 15以降にはインストールできません。',
      'A warning of a later version.',
      'messageが65536バイトを超えていたため、切り詰められました。',
    ]);
    expect(buildNotes(build, now).sentences).toEqual([...build.info.warnings, ...build.uploadWarnings]);
  });
});
