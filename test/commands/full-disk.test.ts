/** A server that starts on a full disk serves what it has, and says why it stores nothing. */
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canMount, mountSmallDisk } from '../blobs/scratch.ts';
import { buildApk } from '../support/build-apk.ts';
import { createInstallationOn } from '../support/run-cli.ts';

const adminKey = 'key-of-the-administrator-on-a-full-disk';
const headers = { authorization: `Bearer ${adminKey}` };

it.skipIf(!canMount())(
  'starts read-only on a full disk, and writes again after a restart with free space',
  async () => {
    const disk = mountSmallDisk(32 * 1024 * 1024);
    if (!disk) throw new Error('no disk');
    const installation = await createInstallationOn(
      { config: { kind: 'sqlite', path: '' }, url: '' },
      { SLIPWAY_DATA_DIR: join(disk.folder, 'data'), SLIPWAY_ADMIN_API_KEY: adminKey },
    );
    try {
      await (await installation.serve()).stop();
      const filler = join(disk.folder, 'filler');
      const { bavail, bsize } = await statfs(disk.folder);
      await writeFile(filler, Buffer.alloc(bavail * bsize));
      expect((await statfs(disk.folder)).bavail).toBe(0);

      const full = await installation.serve();
      expect(full.output()).toContain('no space is left: the server starts read-only');
      const list = await fetch(`${full.origin}/api/organizations`, { headers });
      expect([list.status, await list.json()]).toMatchObject([200, { error: false }]);
      expect((await fetch(`${full.origin}/sign-in`, { headers: { accept: 'text/html' } })).status).toBe(200);
      const form = new FormData();
      form.set('file', new File([new Uint8Array(buildApk())], 'app.apk'));
      const upload = await fetch(`${full.origin}/api/users/admin/apps`, {
        method: 'POST',
        headers,
        body: form,
      });
      expect(upload.status).toBe(507);
      expect((await fetch(`${full.origin}/readyz`)).status).toBe(507);
      expect((await full.stop()).code).toBe(0);

      await rm(filler);
      const again = await installation.serve();
      expect(again.output()).not.toContain('read-only');
      expect((await fetch(`${again.origin}/readyz`)).status).toBe(200);
    } finally {
      await installation.remove();
      disk.remove();
    }
  },
);
