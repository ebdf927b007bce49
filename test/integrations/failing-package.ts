/** A package that fails a check of the store, for the integrations that wait for checks. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApk } from '../support/build-apk.ts';

/** Uploads it once, and sets where its app goes. Returns its path. */
export async function uploadFailingPackage(folder: string, origin: string, key: string): Promise<string> {
  const file = join(folder, 'failing.apk');
  const bytes = buildApk({ packageName: 'com.example.failing', targetSdk: 30 });
  await writeFile(file, bytes);
  const headers = { Authorization: `Bearer ${key}` };
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(bytes)]), 'failing.apk');
  const answers = [
    await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body }),
    await fetch(`${origin}/api/v1/apps/admin/android/com.example.failing/check-settings`, {
      method: 'PATCH',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ destinations: ['google_play'] }),
    }),
  ];
  for (const answer of answers) if (!answer.ok) throw new Error(await answer.text());
  return file;
}
