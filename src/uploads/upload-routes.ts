import * as v from 'valibot';
import type { Identify } from '../access/identify-http.ts';
import type { LinkSigner } from '../apps/link-signer.ts';
import { unauthenticated } from '../errors.ts';
import { json } from '../http/routes/answer.ts';
import type { StreamedBody } from '../http/routes/client.ts';
import { defineRoute, type Route, type Visit } from '../http/routes/route.ts';
import { createAnonymousGate } from './anonymous-gate.ts';
import type { PublishBuild } from './publish-build.ts';
import { createUploadAccess, type UploadSubject } from './upload-access-http.ts';
import { readUploadBody, receiveFile, type UploadBodyParts } from './upload-body-http.ts';
import { maxIdempotencyKeyLength, uploadFormSchema } from './upload-fields.ts';
import { createUploadFormReader } from './upload-form.ts';
import { buildResult, uploadAnswer } from './upload-json.ts';

export interface UploadRouteParts extends UploadBodyParts {
  identify: Identify;
  links: LinkSigner;
  publishBuild: PublishBuild;
}

type UploadVisit = Visit<unknown, UploadSubject> & {
  headers: { 'idempotency-key': string };
  body: StreamedBody;
};

export function uploadRoutes(parts: UploadRouteParts): Route[] {
  const gate = createAnonymousGate(parts.limits);
  const shared = {
    method: 'POST',
    access: createUploadAccess(parts),
    keyScope: 'upload',
    csrfExempt: 'authenticated by an API key, which a browser never sends by itself',
    streamedBody: { describes: uploadFormSchema },
    tag: 'Uploads',
    headers: {
      'idempotency-key': v.optional(v.pipe(v.string(), v.maxLength(maxIdempotencyKeyLength)), ''),
    },
    answer: uploadAnswer,
    handle: (visit: UploadVisit) => receiveUpload(parts, gate, visit),
  } as const;
  return [
    defineRoute({ ...shared, path: '/api/users/:owner/apps', summary: 'Upload an app' }),
    defineRoute({
      ...shared,
      path: '/api/users/:owner/platforms/:platform/apps',
      summary: 'Upload an app of one platform',
    }),
  ];
}

async function receiveUpload(
  parts: UploadRouteParts,
  gate: ReturnType<typeof createAnonymousGate>,
  { subject, client, headers, body }: UploadVisit,
) {
  const { now } = parts;
  const { origin } = client;
  let sender = subject.known;
  const visit = subject.known ? null : gate.enter(now());
  const reader = createUploadFormReader({
    receive: (stream) =>
      receiveFile(parts, body.announcedBytes, stream, sender?.roomBytes ?? Number.POSITIVE_INFINITY),
    judgeToken: async (token) => {
      if (subject.known) return;
      sender = await subject.judge(token);
      visit?.leave();
    },
  });
  try {
    body.accept();
    await readUploadBody(parts, body, { ...reader, bytes: (count) => visit?.count(count, now()) });
    if (!sender) throw unauthenticated();
    const published = await parts.publishBuild({
      actor: sender.actor,
      owner: sender.owner,
      form: reader.finish(),
      platform: sender.platform,
      packageName: null,
      idempotencyKey: headers['idempotency-key'] || null,
      answered: body.answered,
    });
    const context = { origin, links: parts.links };
    return json({
      error: false as const,
      results: buildResult(published.app, published.build, published.page, context),
    });
  } finally {
    visit?.leave();
    await reader.dispose();
  }
}
