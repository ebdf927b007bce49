/** A build that is removed during a download, from each kind of store that this process reads itself. */
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { undoMs } from '../../src/apps/deletion/build-deletion.ts';
import { appPath, ownerName, packageName, startBuildKit } from '../support/build-actions-kit.ts';
import { buildApk } from '../support/build-apk.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';

/** More than socket buffers hold, so that the download waits for its reader. */
const fillerBytes = 48 * 1024 * 1024;

describe.runIf(runsEverything).each(['disk', 'memory'] as const)('download from %s', (blobs) => {
  it('finishes when its build is removed during the download', async () => {
    const kit = await startBuildKit({ blobs });
    const { slipway } = kit;
    const file = buildApk({ packageName, fillerBytes });
    const build = await uploaded(slipway, { owner: ownerName, key: kit.devKey, file });
    await slipway.service.outbox.idle();
    const download = request(build.file, { agent: false });
    download.end();
    const [response] = await once(download, 'response');
    expect(response.statusCode).toBe(200);

    await kit.post(`${appPath}/binaries/delete`, { revision: '1' });
    kit.pass(undoMs + 1);
    slipway.service.outbox.wake();
    await slipway.service.outbox.idle();
    expect((await slipway.leftBehind()).blobs).toEqual([]);
    expect((await get(slipway, build.file)).status).toBe(404);

    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(file)).toBe(true);
    await kit.close();
  });
});
