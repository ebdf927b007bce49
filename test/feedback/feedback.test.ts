/** Feedback of testers: the form on a distribution page, screenshots, the inbox, replies and deletion. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import { sweepBlobs } from '../../src/blobs/sweep-blobs.ts';
import type { EventChoice } from '../../src/events/events.ts';
import {
  maxFeedbackCharacters,
  maxFeedbackPerApp,
  maxReplyCharacters,
  replyLifetimeMs,
  replyLimit,
} from '../../src/feedback/feedback.ts';
import { collectMs } from '../../src/feedback/feedback-announcement.ts';
import { feedbackLimit } from '../../src/feedback/send-feedback-routes.ts';
import { hashSubject } from '../../src/limits/attempts.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { referencedBlobs } from '../../src/operations/backup/referenced-blobs.ts';
import { checkFiles } from '../../src/operations/verify-stored-files.ts';
import { maxScreenshotSide } from '../../src/packages/icon/clean-screenshot.ts';
import { maxScreenshotFileBytes } from '../../src/packages/package-task.ts';
import { anonymousForm, type BrowserSession, signIn } from '../support/browser-session.ts';
import {
  appPath,
  type BuildKit,
  buildPath,
  packageName,
  startBuildKit,
} from '../support/build-actions-kit.ts';
import { type Answer, send } from '../support/http-client.ts';
import { mailSettings, settleOutbox } from '../support/mail-service.ts';
import { type FormPart, multipart } from '../support/multipart-body.ts';
import { phones, setRules } from '../support/page-visits.ts';
import { dialects } from '../support/test-database.ts';

const inbox = `${appPath}/feedback`;

const picture = (width: number, height: number, format: 'png' | 'jpeg' | 'webp' = 'png') =>
  sharp({ create: { width, height, channels: 3, background: '#246' } })
    .toFormat(format)
    .toBuffer();

describe.each(dialects)('feedback on %s', { timeout: 60_000 }, (dialect) => {
  const mailer = createMemoryMailer(({ text }) =>
    text.includes('Not today') ? { kind: 'later', reason: 'busy' } : { kind: 'sent' },
  );
  let kit: BuildKit;
  let key: string;
  beforeAll(async () => {
    kit = await startBuildKit({ dialect, mailer, settings: mailSettings });
    key = (await kit.upload({ fields: { distribution_name: 'QA' } })).distribution?.access_key ?? '';
    await setRules(kit.slipway, key, { feedback: true });
  });
  afterAll(() => kit?.close());

  const formPath = () => `/distributions/${key}/feedback`;
  const file = (content: Buffer, fileName = 'a.png'): FormPart => ({
    name: 'screenshots',
    content,
    fileName,
  });
  /** As a visitor with a phone, or as a signed-in person. */
  const sendForm = async (
    fields: Record<string, string> = {},
    { files = [], by = null }: { files?: FormPart[]; by?: BrowserSession | null } = {},
  ): Promise<Answer> => {
    // Ids of the same millisecond have no order.
    kit.pass(1000);
    const visitor = by
      ? {
          cookie: by.cookie,
          csrf: /name="csrf" value="([^"]+)"/.exec((await by.get(formPath())).text)?.[1] ?? '',
        }
      : await anonymousForm(kit.slipway);
    const values = { csrf: visitor.csrf, text: 'It stops', email: '', revision: '1', website: '', ...fields };
    const parts = [...Object.entries(values).map(([name, value]) => ({ name, value })), ...files];
    const { contentType, body } = multipart(parts);
    return send(kit.slipway.port, formPath(), {
      method: 'POST',
      headers: {
        'Content-Type': contentType,
        Accept: 'text/html',
        Cookie: visitor.cookie,
        'User-Agent': phones.iphone,
      },
      body,
    });
  };
  const stored = async () =>
    kit.slipway.data.feedback.list(await kit.appId(), { status: null, revision: null }, { limit: 99 });
  const newest = async () => {
    const [one] = await stored();
    if (!one) throw new Error('there is no feedback');
    return one;
  };
  const blobs = async () =>
    (await kit.slipway.leftBehind()).blobs.filter((blob) => blob.startsWith('feedback/'));
  /** Moves to a period of which no feedback was received, and empties the mailbox. */
  const startPeriod = async () => {
    await sendForm();
    kit.pass(collectMs - ((await newest()).createdAt % collectMs) + 2 * 60_000);
    await settleOutbox(kit.slipway);
    mailer.sent.length = 0;
  };
  const resetLimits = () => kit.pass(61 * 60_000);

  it('is off by default, and then neither linked nor accepted', async () => {
    await setRules(kit.slipway, key, { feedback: false });
    const visit = (path: string) => send(kit.slipway.port, path, { headers: { Accept: 'text/html' } });
    expect((await visit(`/distributions/${key}`)).text).not.toContain('/feedback');
    expect((await visit(formPath())).status).toBe(404);
    expect((await sendForm()).status).toBe(404);
    expect(await stored()).toEqual([]);
    await setRules(kit.slipway, key, { feedback: true });
    expect((await visit(`/distributions/${key}`)).text).toContain(`${formPath()}?revision=1`);
    const form = (await visit(`${formPath()}?revision=1`)).text;
    expect(form).toContain('enctype="multipart/form-data"');
  });

  it('is turned on in the settings of the page, which the audit log records', async () => {
    await setRules(kit.slipway, key, { feedback: false });
    await kit.submit(`/distributions/${key}/settings/appearance`, 'save', { feedback: 'on' });
    expect((await kit.slipway.data.distributions.findPage(key))?.feedback).toBe(true);
    const ownerId = (await kit.slipway.data.owners.findOwner('tides'))?.id ?? '';
    const [entry] = await kit.slipway.data.audit.list(ownerId, 1);
    expect(entry).toMatchObject({
      action: 'page.changed',
      details: { changes: { feedback: [false, true] } },
    });
  });

  it('stores text, device, page, build and clean screenshots', async () => {
    const withMetadata = await sharp(await picture(3000, 100))
      .withExif({ IFD3: { GPSLatitudeRef: 'N' }, IFD0: { Copyright: 'secret-place' } })
      .jpeg()
      .toBuffer();
    expect(withMetadata.includes('secret-place')).toBe(true);
    const polyglot = Buffer.concat([
      await picture(20, 30),
      Buffer.from('<script>alert(1)</script>PK\x05\x06'),
    ]);
    const answer = await sendForm(
      { text: 'It stops\r\nafter login', email: 'jo@example.com' },
      { files: [file(withMetadata, 'a.jpg'), file(polyglot)] },
    );
    expect([answer.status, answer.headers.location]).toEqual([303, `${formPath()}?sent=1`]);
    const one = await newest();
    expect(one).toMatchObject({
      text: 'It stops\nafter login',
      email: 'jo@example.com',
      sender: null,
      status: 'new',
      pageName: 'QA',
      revision: 1,
      screenshots: 2,
    });
    expect(one.device).toMatch(/^iPhone, iOS \d/);
    const shown = await kit.dev.get(`${inbox}/${one.id}/screenshots/1`);
    expect(shown.status).toBe(200);
    expect(shown.headers).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    for (const [index, { blob }] of (await kit.slipway.data.feedback.listScreenshots(one.id)).entries()) {
      const opened = await kit.slipway.blobs.open(blob as never);
      const bytes = Buffer.concat(await Array.fromAsync(opened?.stream ?? []));
      const facts = await sharp(bytes).metadata();
      expect(facts).toMatchObject({ format: 'webp', width: index === 0 ? maxScreenshotSide : 20 });
      expect([facts.exif, facts.xmp, facts.iptc]).toEqual([undefined, undefined, undefined]);
      expect(bytes.includes('secret-place') || bytes.includes('script')).toBe(false);
    }
    const page = (await kit.dev.get(`${inbox}/${one.id}`)).text;
    expect(page).toContain('jo@example.com');
    expect((await kit.dev.get(inbox)).text).toContain('It stops');
  });

  it('refuses files that are not a readable PNG or JPEG of limited size, and stores nothing', async () => {
    resetLimits();
    const png = await picture(200, 200);
    const bomb = Buffer.from(png);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const hostile = {
      bomb,
      'too many pixels': await picture(4200, 4200),
      truncated: (await picture(900, 900, 'jpeg')).subarray(0, 900),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      webp: await picture(9, 9, 'webp'),
      'too large': Buffer.concat([png, Buffer.alloc(maxScreenshotFileBytes)]),
    };
    const before = { rows: (await stored()).length, blobs: await blobs() };
    for (const [name, content] of Object.entries(hostile)) {
      const answer = await sendForm({ text: 'kept' }, { files: [file(png), file(content, `${name}.png`)] });
      expect([name, answer.status]).toEqual([name, 400]);
      expect(answer.text).toContain('kept</textarea>');
      expect(answer.text).toContain('id="screenshots-errors"');
    }
    expect({ rows: (await stored()).length, blobs: await blobs() }).toEqual(before);
    expect((await kit.slipway.leftBehind()).spool).toEqual([]);
  });

  it('refuses too many screenshots, wrong text, addresses and builds, with a sentence each', async () => {
    resetLimits();
    const png = await picture(9, 9);
    const before = (await stored()).length;
    const many = await sendForm({}, { files: Array.from({ length: 4 }, () => file(png)) });
    expect([many.status, many.text.includes('The limit is 3')]).toEqual([400, true]);
    for (const [fields, sentence] of [
      [{ text: ' ' }, 'Enter your feedback.'],
      [{ text: 'ä'.repeat(maxFeedbackCharacters + 1) }, 'Feedback too long.'],
      [{ text: 'x'.repeat(100_000) }, 'Feedback too long.'],
      [{ email: 'nobody' }, 'Enter an email address'],
      [{ revision: '7' }, 'Choose a build of this page.'],
      [{ revision: 'x' }, 'Choose a build of this page.'],
    ] as const) {
      const answer = await sendForm(fields);
      expect([fields, answer.status]).toEqual([fields, 400]);
      expect(answer.text).toContain(sentence);
    }
    expect(await stored()).toHaveLength(before);
    expect((await sendForm({ text: 'ä'.repeat(maxFeedbackCharacters) })).status).toBe(303);
  });

  it('accepts no form without its token, and pretends to accept what programs fill in', async () => {
    resetLimits();
    const before = (await stored()).length;
    expect((await sendForm({ csrf: 'made up' })).status).toBe(403);
    expect((await sendForm({ website: 'https://example.com' })).status).toBe(303);
    expect(await stored()).toHaveLength(before);
  });

  it('follows the access rules of the page', async () => {
    resetLimits();
    const before = (await stored()).length;
    for (const [rules, status] of [
      [{ active: false }, 404],
      [{ expiresAt: 1 }, 404],
      [{ networks: ['10.9.0.0/16'] }, 403],
      [{ access: 'passcode', passcodeHash: 'x' }, 403],
      [{ access: 'members' }, 303],
    ] as const) {
      await setRules(kit.slipway, key, rules);
      const answer = await sendForm();
      expect([rules, answer.status]).toEqual([rules, status]);
      if (status === 303) expect(answer.headers.location).toContain('/sign-in');
      await setRules(kit.slipway, key, {
        active: true,
        expiresAt: null,
        networks: [],
        access: 'unlisted',
        passcodeHash: null,
      });
    }
    expect(await stored()).toHaveLength(before);
  });

  it('names signed-in people and uses the address of their account', async () => {
    const tess = await signIn(kit.slipway, 'tess');
    await sendForm({ text: 'From Tess', email: 'other@example.com' }, { by: tess });
    expect(await newest()).toMatchObject({ sender: 'tess', text: 'From Tess' });
    expect((await tess.get(inbox)).status).toBe(404);
    expect((await tess.get(`${inbox}/${(await newest()).id}/screenshots/1`)).status).toBe(404);
  });

  it('limits visitors per page and network, and a signed-in person apart from them', async () => {
    resetLimits();
    const seen: number[] = [];
    for (let count = 0; count <= feedbackLimit.limit; count++) {
      seen.push((await sendForm({ text: '' })).status);
    }
    expect(seen.at(-2)).toBe(400);
    expect(seen.at(-1)).toBe(429);
    expect((await sendForm({}, { by: kit.dev })).status).toBe(303);
    resetLimits();
    expect((await sendForm()).status).toBe(303);
  });

  it('is filtered by status and build, exported without formulas, and changes its status', async () => {
    await sendForm({ text: '=HYPERLINK("http://x")' });
    const one = await newest();
    await kit.post(`${inbox}/${one.id}/status`, { status: 'closed' });
    expect((await newest()).status).toBe('closed');
    expect((await kit.dev.get(`${inbox}?status=closed`)).text).toContain(one.id);
    expect((await kit.dev.get(`${inbox}?status=new`)).text).not.toContain(one.id);
    expect((await kit.dev.get(`${inbox}?revision=99`)).text).toContain('No feedback matches');
    const csv = (await kit.dev.get(`${inbox}.csv?status=closed`)).text;
    expect(csv).toContain(`"'=HYPERLINK(""http://x"")"`);
    const lines = (await kit.dev.get(`${inbox}.jsonl`)).text.trim().split('\n');
    expect(lines).toHaveLength((await stored()).length);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ status: 'closed', revision: 1 });
    expect((await kit.post(`${inbox}/${one.id}/status`, { status: 'odd' })).status).toBe(400);
    const counts = await kit.slipway.data.feedback.count(await kit.appId());
    expect(
      (await kit.slipway.data.appPages.tabCounts({ id: await kit.appId(), owner: { id: '', kind: 'user' } }))
        .feedback,
    ).toBe(counts.new);
  });

  it('is answered by email, at most so often a day', async () => {
    resetLimits();
    await sendForm({ text: 'Please answer', email: 'jo@example.com' });
    const one = await newest();
    const reply = (text: string) => kit.post(`${inbox}/${one.id}/reply`, { reply: text });
    expect((await reply(' ')).status).toBe(400);
    expect((await reply('x'.repeat(maxReplyCharacters + 1))).status).toBe(400);
    expect((await reply('Fixed in #2.\nThanks!')).status).toBe(303);
    await settleOutbox(kit.slipway);
    const [message, ...others] = mailer.sent.filter(({ to }) => to.address === 'jo@example.com');
    expect(others).toEqual([]);
    expect(message?.text).toContain('Fixed in #2.\nThanks!');
    expect(message?.text).toContain('> Please answer');
    expect(message?.headers).not.toHaveProperty('Reply-To');
    expect(await kit.slipway.data.feedback.listReplies(one.id)).toMatchObject([
      { state: 'sent', author: 'dora' },
    ]);
    const subject = hashSubject(['feedback-reply', await kit.appId()]);
    const { limit, windowMs } = replyLimit;
    await kit.slipway.data.attempts.countAttempts([subject], kit.now(), windowMs, limit - 2);
    expect((await reply('again')).status).toBe(303);
    expect((await reply('too many')).status).toBe(429);
    kit.pass(windowMs);
    await sendForm({ text: 'Late', email: 'kim@example.com' });
    const late = await newest();
    expect((await kit.post(`${inbox}/${late.id}/reply`, { reply: 'Not today' })).status).toBe(303);
    await settleOutbox(kit.slipway);
    expect(await kit.slipway.data.feedback.listReplies(late.id)).toMatchObject([{ state: 'waiting' }]);
    kit.pass(replyLifetimeMs + 60_000);
    await settleOutbox(kit.slipway);
    expect(await kit.slipway.data.feedback.listReplies(late.id)).toMatchObject([{ state: 'failed' }]);
    await sendForm({ text: 'No address' });
    const { id } = await newest();
    expect((await kit.post(`${inbox}/${id}/reply`, { reply: 'x' })).status).toBe(409);
  });

  it('notifies subscribed webhooks, without the address for a reply', async () => {
    resetLimits();
    const appId = await kit.appId();
    const ownerId = (await kit.slipway.data.owners.findOwner('tides'))?.id ?? '';
    const add = (id: string, subscribedEvents: EventChoice[]) =>
      kit.slipway.data.webhooks.insertWebhook(
        {
          ...{ id, ownerId, appId, name: '', kind: 'json', state: 'on', shownAddress: '', createdAt: 1 },
          oldSecretUntil: null,
          ...{ encryptedAddress: '', encryptedSecret: '', subscribedEvents },
        },
        1,
      );
    await settleOutbox(kit.slipway);
    await add('hears', ['feedback.created']);
    await add('other', ['build.uploaded']);
    await sendForm({ text: 'For the chat', email: 'secret@example.com' });
    await settleOutbox(kit.slipway);
    expect(await kit.slipway.data.webhooks.listDeliveries('other', 9)).toEqual([]);
    const [delivery, ...others] = await kit.slipway.data.webhooks.listDeliveries('hears', 9);
    expect(others).toEqual([]);
    expect(delivery?.event).toBe('feedback.created');
    expect(JSON.parse(delivery?.facts ?? '')).toMatchObject({
      feedback: {
        text: 'For the chat',
        sender: null,
        path: `${inbox}/${(await newest()).id}`,
      },
      build: { revision: 1 },
      page: { name: 'QA' },
    });
    expect(delivery?.facts).not.toContain('secret@example.com');
  });

  it('is collected and emailed to the people who manage the app, until they unsubscribe', async () => {
    await startPeriod();
    const announced = () =>
      mailer.sent.filter(({ subject }) => subject.startsWith('New feedback about ')).map(({ to }) => to.name);
    await sendForm({ text: 'It stops <here>', email: 'secret@example.com' });
    await sendForm(
      { text: 'x'.repeat(4000) },
      { files: [file(await picture(9, 9))], by: await signIn(kit.slipway, 'tess') },
    );
    await sendForm({ text: 'Already handled' });
    await kit.post(`${inbox}/${(await newest()).id}/status`, { status: 'closed' });
    await settleOutbox(kit.slipway);
    expect(announced()).toEqual([]);
    kit.pass(17 * 60_000);
    await settleOutbox(kit.slipway);
    expect(announced().sort()).toEqual(['dora', 'otto']);
    const email = mailer.sent.find(({ to }) => to.name === 'dora');
    expect(email?.text).toContain('> It stops <here>');
    expect(email?.html).toContain('It stops &lt;here>');
    expect(email?.text).toContain(`${'x'.repeat(499)}…`);
    expect(email?.text).toContain('1 screenshot');
    expect(email?.text).toContain(', tess');
    expect(email?.text).toContain(`${inbox}?status=new`);
    for (const text of [email?.text, email?.html]) {
      expect(text).not.toContain('secret@example.com');
      expect(text).not.toContain('Already handled');
    }
    const [, unsubscribe = ''] = /<([^>]+)>/.exec(email?.headers['List-Unsubscribe'] ?? '') ?? [];
    const { pathname } = new URL(unsubscribe);
    expect((await send(kit.slipway.port, pathname, { method: 'POST' })).status).toBe(200);
    mailer.sent.length = 0;
    await sendForm();
    kit.pass(17 * 60_000);
    await settleOutbox(kit.slipway);
    expect(announced()).toEqual(['otto']);
    await settleOutbox(kit.slipway);
    expect(announced()).toEqual(['otto']);
  });

  it('is emailed at most once in 15 minutes, with a hint that there is more than ten', async () => {
    resetLimits();
    await startPeriod();
    for (let at = 0; at < 11; at++) await sendForm({ text: `Message ${at}.` });
    kit.pass(17 * 60_000);
    await settleOutbox(kit.slipway);
    expect(mailer.sent).toHaveLength(1);
    expect(mailer.sent[0]?.text.match(/^> Message/gm)).toHaveLength(10);
    expect(mailer.sent[0]?.text).toContain('There is more in the inbox.');
  });

  it('keeps its screenshots in a sweep, and removes them when it is deleted', async () => {
    resetLimits();
    await sendForm({}, { files: [file(await picture(9, 9))] });
    const one = await newest();
    const mine = `feedback/${one.id}.1`;
    const isNamed = kit.slipway.data.builds.namedBlobs;
    await sweepBlobs({ store: kit.slipway.blobs, isNamed, before: Number.POSITIVE_INFINITY });
    expect(await blobs()).toContain(mine);
    expect((await kit.post(`${inbox}/${one.id}/delete`, {})).location).toBe(`${inbox}?done=deleted`);
    await settleOutbox(kit.slipway);
    expect(await blobs()).not.toContain(mine);
    expect((await kit.dev.get(`${inbox}/${one.id}`)).status).toBe(404);
    const ownerId = (await kit.slipway.data.owners.findOwner('tides'))?.id ?? '';
    expect(await kit.slipway.data.audit.list(ownerId, 1)).toMatchObject([{ action: 'feedback.deleted' }]);
  });

  it('has screenshots that backups copy, and that the check of stored files reports when they are damaged', async () => {
    resetLimits();
    await sendForm({}, { files: [file(await picture(9, 9)), file(await picture(8, 8))] });
    const { id } = await newest();
    const [first, second] = [1, 2].map((number) => parseBlobKey(`feedback/${id}.${number}`));
    if (!first || !second) throw new Error('there are no keys');
    const { data } = kit.slipway.service;
    const keys: string[] = [];
    for await (const { key } of referencedBlobs(data)) keys.push(key);
    expect(keys).toEqual(expect.arrayContaining([first, second]));
    const check = async () => {
      const found: object[] = [];
      const onDamaged = (damaged: object) => found.push(damaged);
      await checkFiles({ data, blobs: kit.slipway.blobs, bytesPerSecond: 1e9, onDamaged });
      return found;
    };
    expect(await check()).toEqual([]);
    await kit.slipway.blobs.remove(first);
    await kit.slipway.blobs.remove(second);
    await kit.slipway.blobs.putBytes(second, Buffer.from('other'));
    expect(await check()).toEqual([
      { key: first, reason: 'missing' },
      { key: second, reason: 'wrong-size' },
    ]);
    expect((await kit.dev.get(`${inbox}/${id}`)).status).toBe(200);
    expect((await kit.post(`${inbox}/${id}/delete`, {})).location).toBe(`${inbox}?done=deleted`);
    await settleOutbox(kit.slipway);
  });

  it('stops at the limit of an app', async () => {
    resetLimits();
    const one = await newest();
    const appId = await kit.appId();
    const { count } = await kit.slipway.data.feedback.usage(appId);
    const { revision, versionName, versionCode, screenshots, ...content } = one;
    for (let index = count; index < maxFeedbackPerApp; index++) {
      await kit.slipway.data.feedback.insert({ ...content, id: `x${index}` }, []);
    }
    const answer = await sendForm();
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('cannot receive more feedback');
    for (let index = count; index < maxFeedbackPerApp; index++)
      await kit.slipway.data.feedback.remove(`x${index}`);
  });

  it('has no more screenshots in all apps than a storage limit that covers them', async () => {
    resetLimits();
    const { feedback, apps, owners, quotas } = kit.slipway.data;
    const { owner } = (await apps.findAppById(await kit.appId())) ?? {};
    const dora = await owners.findOwner('dora');
    const none = { maxStorageBytes: null, maxBuilds: null, maxProjects: null };
    const used = await feedback.screenshotBytesOf([owner?.id ?? '']);
    const files = [file(await picture(64, 64))];
    for (const [limited, maxStorageBytes, status] of [
      [owner, used, 409],
      [dora, used, 409],
      [dora, used + maxScreenshotFileBytes, 303],
    ] as const) {
      await quotas.set(limited?.id ?? '', { ...none, maxStorageBytes });
      await quotas.setAccountable(owner?.id ?? '', dora?.id ?? '');
      expect((await sendForm({ text: 'Look' }, { files })).status).toBe(status);
      expect((await sendForm({ text: 'Without a picture' })).status).toBe(303);
      await quotas.set(limited?.id ?? '', none);
    }
  });

  it('goes with its build and its app, screenshots included', async () => {
    resetLimits();
    await kit.upload({ fields: { distribution_name: 'QA' } });
    await sendForm({ revision: '2' }, { files: [file(await picture(9, 9))] });
    const ofSecond = await newest();
    await sendForm({ revision: '1' }, { files: [file(await picture(9, 9))] });
    await kit.upload({ fields: { distribution_name: 'QA' } });
    await kit.submit(buildPath(2), 'delete');
    kit.pass(25 * 60 * 60_000);
    await settleOutbox(kit.slipway);
    expect((await stored()).map(({ id }) => id)).not.toContain(ofSecond.id);
    expect(await blobs()).not.toContain(`feedback/${ofSecond.id}.1`);
    expect(await blobs()).not.toEqual([]);
    const dora = await signIn(kit.slipway, 'dora');
    await kit.submit(`${appPath}/delete`, 'delete', { confirmation: packageName }, dora);
    await settleOutbox(kit.slipway);
    expect(await blobs()).toEqual([]);
  });
});
