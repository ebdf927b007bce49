import { appendFile, truncate, utimes } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { buildForm, chunkBytes, formChunks } from '../../src/commands/uploader/upload-form.ts';
import { openSource } from '../../src/commands/uploader/upload-source.ts';
import { noise, temporaryFile, temporaryFolder } from './upload-test-kit.ts';

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

test('a form has the exact byte layout and a known length', async (context) => {
  const source = await openSource(await temporaryFile(context, 'demo.apk', 'APK'));
  context.onTestFinished(source.close);
  const form = buildForm([{ name: 'message', value: 'naïve\nline' }], [{ name: 'file', source }], 'B');
  const bytes = await bytesOf(formChunks(form));
  expect(bytes.toString()).toBe(
    '--B\r\nContent-Disposition: form-data; name="message"\r\n\r\nnaïve\nline\r\n' +
      '--B\r\nContent-Disposition: form-data; name="file"; filename="demo.apk"\r\n' +
      'Content-Type: application/vnd.android.package-archive\r\n\r\nAPK\r\n--B--\r\n',
  );
  expect(form.contentLength).toBe(bytes.length);
  expect(form.contentType).toBe('multipart/form-data; boundary=B');
});

test.each([
  ['say "hi".ipa', 'say %22hi%22.ipa', 'application/octet-stream'],
  ['two\nlines\r.zip', 'two%0Alines%0D.zip', 'application/zip'],
  ['日本語 ビルド.APK', '日本語 ビルド.APK', 'application/vnd.android.package-archive'],
  ['100%22 back\\slash.apk', '100%22 back\\slash.apk', 'application/vnd.android.package-archive'],
])('the file name %j is written as %j', async (name, written, mediaType) => {
  const source = {
    path: name,
    fileName: name,
    sizeBytes: 1,
    read: async (buffer: Buffer) => buffer.write('x'),
    assertUnchanged: async () => {},
    close: async () => {},
  };
  const text = (await bytesOf(formChunks(buildForm([], [{ name: 'file', source }], 'B')))).toString();
  expect(text).toContain(`; filename="${written}"\r\nContent-Type: ${mediaType}\r\n\r\nx\r\n`);
});

test('a file of any size needs two buffers', async (context) => {
  const content = noise(chunkBytes * 5 + 77);
  const source = await openSource(await temporaryFile(context, 'big.ipa', content));
  context.onTestFinished(source.close);
  const memories = new Set<ArrayBufferLike>();
  const copies: Buffer[] = [];
  for await (const chunk of formChunks(buildForm([], [{ name: 'file', source }], 'B'))) {
    if (chunk.buffer.byteLength >= chunkBytes) memories.add(chunk.buffer);
    copies.push(Buffer.from(chunk));
  }
  expect(memories.size).toBe(2);
  expect(Buffer.concat(copies).includes(content)).toBe(true);
});

test.each([
  ['grows', (path: string) => appendFile(path, 'more'), 'was changed while'],
  ['is written to at the same length', (path: string) => utimes(path, 1, 1), 'was changed while'],
  ['shrinks', (path: string) => truncate(path, 10), 'was truncated during'],
])('a file that %s during the upload never becomes a complete body', async (_what, change, words) => {
  const context = { onTestFinished };
  const path = await temporaryFile(context, 'demo.ipa', noise(chunkBytes * 2));
  const source = await openSource(path);
  context.onTestFinished(source.close);
  let sent = '';
  const upload = async () => {
    for await (const chunk of formChunks(buildForm([], [{ name: 'file', source }], 'B'))) {
      if (sent === '') await change(path);
      sent += chunk.toString('latin1');
    }
  };
  await expect(upload()).rejects.toThrow(words);
  expect(sent).not.toContain('--B--');
});

test('files that cannot be uploaded are rejected with a message', async (context) => {
  const folder = await temporaryFolder(context);
  await expect(openSource(`${folder}/none.apk`)).rejects.toThrow(`File not found: ${folder}/none.apk.`);
  await expect(openSource(folder)).rejects.toThrow('is a folder, not a file.');
  await expect(openSource('/dev/null')).rejects.toThrow('is not a regular file.');
  await expect(openSource(await temporaryFile(context, 'empty.apk', ''))).rejects.toThrow('is empty.');
});
