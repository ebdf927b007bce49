/** Uploads to an S3 service, if Ceph is installed: their memory, and that downloads bypass the server. */

import { launchRadosgw } from '../test/support/launch-servers.ts';
import { createS3ScratchOn } from '../test/support/s3-scratch.ts';
import { atMost, type Result } from './measure.ts';
import { benchKey, memoryOf, startSlipway } from './run-server.ts';
import { uploadToSlipway } from './uploads.ts';

const mebibyte = 1024 * 1024;

export interface S3Run {
  /** Port of the server, which has a separate data folder. */
  settings: Record<string, string>;
  /** At most 512 MiB: the service stores everything in memory. */
  file: string;
  small: string;
}

export async function benchS3(run: S3Run): Promise<Result[]> {
  const launched = await launchRadosgw();
  if (!launched) {
    process.stderr.write(
      'skipped: S3; apt-get install radosgw ceph-mon ceph-osd ceph-common brings a service\n',
    );
    return [];
  }
  const scratch = await createS3ScratchOn(launched.facts);
  const slipway = await startSlipway({ ...run.settings, ...scratch.settings });
  try {
    await uploadToSlipway(slipway, run.small);
    await uploadToSlipway(slipway, run.file);
    const idle = memoryOf(slipway.pid).nowBytes;
    await Promise.all([1, 2, 3, 4].map(() => uploadToSlipway(slipway, run.file)));
    const peak = memoryOf(slipway.pid).peakBytes;
    return [
      atMost('peak memory above warm idle, 4 at once to S3', (peak - idle) / mebibyte, 96, ' MiB'),
      atMost(
        'download from S3, bytes through Node',
        await bytesThroughNode(slipway.origin, run.small),
        0,
        '',
      ),
    ];
  } finally {
    await slipway.stop();
    await launched.stop();
  }
}

async function bytesThroughNode(origin: string, small: string): Promise<number> {
  const form = new FormData();
  form.set('file', await (await import('node:fs')).openAsBlob(small), 'small.apk');
  const headers = { authorization: `Bearer ${benchKey}` };
  const answer = await fetch(`${origin}/api/users/admin/apps`, { method: 'POST', headers, body: form });
  const { results } = (await answer.json()) as { results: { file: string } };
  const download = await fetch(results.file, { redirect: 'manual' });
  if (download.status !== 302) throw new Error(`${results.file} answered ${download.status}`);
  return (await download.arrayBuffer()).byteLength;
}
