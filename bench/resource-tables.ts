/** Measures what it costs to make APKs of app bundles with large resource tables, each in a package process of its own. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeSigningKey } from '../src/packages/apk/signing/signing-key.ts';
import { createPackageReader } from '../src/packages/package-reader.ts';
import { maxApkBytes } from '../src/packages/zip/write-zip.ts';
import { encode, type Field, manifestMessage } from '../test/packages/bundle/bundle-messages.ts';
import { buildZip } from '../test/support/build-zip.ts';
import { createTestKey } from '../test/support/test-key.ts';
import { watchProcesses } from '../test/support/watch-processes.ts';
import { atMost, type Result, round } from './measure.ts';
import { cpuSecondsOf, memoryOf } from './run-server.ts';

const mebibyte = 1024 * 1024;
const entry = fileURLToPath(new URL('../dist/packages/package-child-main.js', import.meta.url));
const languages = ['', 'ar', 'de', 'es', 'fr', 'hi', 'ja', 'ko', 'pt-BR', 'zh-Hant-TW'];
const sentence = 'The payment failed. Try again later. Größe, 設定 ';

export async function benchResourceTables(folder: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const { strings, maxMebibytes } of [
    { strings: 200_000, maxMebibytes: 120 },
    { strings: 480_000, maxMebibytes: 200 },
  ]) {
    const table = tableOf(strings);
    const path = join(folder, 'large.aab');
    await writeFile(
      path,
      buildZip([
        { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
        { name: 'base/resources.pb', content: table, method: 8 },
      ]),
    );
    const { seconds, cpuSeconds, peakBytes } = await convert(path, join(folder, 'converting'));
    const megabytes = table.length / 1e6;
    const what = `an APK of a bundle with a resource table of ${round(megabytes)} MB`;
    const note = `${round(cpuSeconds)} s of processor time`;
    results.push(
      atMost(what, seconds, Number(round((2 * megabytes) / 16)), ' s', note),
      atMost('its peak memory', peakBytes / mebibyte, maxMebibytes, ' MiB'),
    );
    await rm(path);
  }
  return results;
}

async function convert(path: string, folder: string) {
  const packages = createPackageReader({ folder, entry });
  const keys = [encodeSigningKey(createTestKey('rsa-2048'))];
  const request = { keys, contentBytes: 0, maxApkBytes, onProgress: () => undefined };
  let measured = { seconds: 0, cpuSeconds: 0, peakBytes: 0 };
  await watchProcesses(async (started) => {
    const before = performance.now();
    const made = await packages.convertBundle(path, 'ann', request);
    const pid = started[0]?.pid ?? 0;
    const seconds = (performance.now() - before) / 1_000;
    measured = { seconds, cpuSeconds: cpuSecondsOf(pid), peakBytes: memoryOf(pid).peakBytes };
    await made.dispose();
  });
  await packages.close();
  return measured;
}

/** `aapt.pb.ResourceTable` of an app with this number of different strings, in ten languages. */
export function tableOf(strings: number): Buffer {
  const entries = Array.from({ length: strings / languages.length }, (_, id): Field => {
    const values = languages.map((language): Field => {
      const text = encode([2, encode([1, `${id}${language}: ${sentence.slice(id % 20)}`])]);
      const source = encode([1, id % 300], [2, encode([1, (id % 2000) + 1])]);
      const config = language === '' ? Buffer.alloc(0) : encode([3, language]);
      return [6, encode([1, config], [2, encode([1, source], [4, text])])];
    });
    return [3, encode([1, encode([1, id])], [2, `message_of_screen_${id}`], ...values)];
  });
  const type = encode([1, encode([1, 1])], [2, 'string'], ...entries);
  return encode([2, encode([1, encode([1, 0x7f])], [2, 'com.example.bundle'], [3, type])]);
}
