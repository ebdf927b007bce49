/** The OpenAPI description, and that real responses match it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { type Answer, json } from '../support/http-client.ts';
import { get, type UploadOptions, upload } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

type Schema = Record<string, unknown>;

interface Operation {
  summary: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema: Schema & { properties: Record<string, Schema>; required: string[] } }>;
  };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, Schema> };
  security: Record<string, string[]>[];
}

const uploadPath = '/api/users/{owner}/apps';

describe('the OpenAPI description', () => {
  let slipway: TestService;
  let document: ApiDocument;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', limits: { maxUploadBytes: 1_000_000 } });
    keys.stranger = await slipway.user('stranger');
    await slipway.project('crew', { workspace: 'acme', members: { admin: 'owner' } });
    keys.crew = await slipway.projectKey('crew');
    document = json<ApiDocument>(await get(slipway, '/api/openapi.json'));
  });
  afterAll(() => slipway.close());

  const operation = (path: string, method: string): Operation => {
    const found = document.paths[path]?.[method];
    if (!found) throw new Error(`${method} ${path} is not described`);
    return found;
  };
  const conforms = (path: string, method: string, answer: Answer) => {
    const described = operation(path, method).responses[answer.status];
    if (!described) throw new Error(`${method} ${path} does not describe ${answer.status}`);
    const schema = described.content['application/json']?.schema;
    if (!schema) throw new Error(`${method} ${path} has no schema for ${answer.status}`);
    const fits = new Ajv2020({ allErrors: true, formats: { binary: true } }).compile(schema);
    fits(JSON.parse(answer.text));
    expect(fits.errors ?? []).toEqual([]);
    expect(described.description).not.toBe('');
  };

  it('is OpenAPI 3.1 with both operations and the key', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({
      title: 'Slipway',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(Object.keys(document.paths).every((path) => path.startsWith('/api/'))).toBe(true);
    const schemes = Object.values(document.components.securitySchemes);
    expect(schemes).toContainEqual(expect.objectContaining({ type: 'http', scheme: 'bearer' }));
    expect(document.security.length).toBeGreaterThan(0);
    expect(operation('/api/organizations', 'get').responses).toHaveProperty('200');
    expect(operation(uploadPath, 'post').responses).toHaveProperty('200');
  });

  it('describes every form field of the interface with its type and presence', () => {
    const content = operation(uploadPath, 'post').requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(['multipart/form-data']);
    const schema = content['multipart/form-data']?.schema;
    expect(schema?.required).toEqual(['file']);
    for (const name of ['file', 'ios_simulator_zip']) {
      expect(schema?.properties[name]).toMatchObject({ type: 'string', format: 'binary' });
    }
    for (const name of [
      'message',
      'distribution_key',
      'distribution_name',
      'release_note',
      'disable_notify',
    ]) {
      expect(schema?.properties[name]).toMatchObject({
        type: 'string',
        description: expect.stringMatching(/./),
      });
    }
    const parameters = operation(uploadPath, 'post').parameters ?? [];
    expect(parameters.find(({ in: place }) => place === 'path')).toMatchObject({
      name: 'owner',
      required: true,
    });
    expect(parameters.map(({ name }) => name.toLowerCase())).toContain('idempotency-key');
  });

  const uploads: [number, () => UploadOptions][] = [
    [200, () => ({ file: buildApk({ icons: [] }), fields: { distribution_name: 'main', message: 'm' } })],
    [200, () => ({ file: buildApk({ versionName: null, minSdk: null, targetSdk: null, label: null }) })],
    [
      200,
      () => ({
        file: buildIpa({ shortVersion: null, minimumOsVersion: null, name: null, labels: { de: 'x' } }),
      }),
    ],
    [400, () => ({ file: Buffer.from('no package') })],
    [400, () => ({ file: null })],
    [401, () => ({ key: null })],
    [403, () => ({ key: keys.stranger })],
    [404, () => ({ owner: 'nobody' })],
    [404, () => ({ fields: { distribution_key: 'f'.repeat(40) } })],
    [409, () => ({ file: buildApk({ versionCode: 9 }), headers: { 'Idempotency-Key': 'once' } })],
    [413, () => ({ file: Buffer.alloc(1_000_001) })],
  ];
  it.each(uploads)('matches the response %i of an upload', async (status, options) => {
    if (status === 409) await upload(slipway, { headers: { 'Idempotency-Key': 'once' } });
    const answer = await upload(slipway, options());
    expect(answer.status).toBe(status);
    conforms(uploadPath, 'post', answer);
    if (status !== 200) return;
    const { file } = options();
    const platform = file?.includes('Payload/') ? 'ios' : 'android';
    const path = `/api/users/admin/platforms/${platform}/apps`;
    const ofPlatform = await upload(slipway, { ...options(), path });
    conforms('/api/users/{owner}/platforms/{platform}/apps', 'post', ofPlatform);
  });

  it('describes every status of an upload', () => {
    const statuses = Object.keys(operation(uploadPath, 'post').responses).sort();
    expect(statuses).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '408',
      '409',
      '411',
      '413',
      '429',
      '503',
      '507',
    ]);
  });

  it('matches the responses of the list and of the user endpoint', async () => {
    for (const path of ['/api/organizations', '/api/sessions/user']) {
      for (const [key, status] of [
        [slipway.adminKey, 200],
        [keys.crew, 400],
        [null, 401],
      ] as const) {
        const answer = await get(slipway, path, key);
        expect(answer.status).toBe(status);
        conforms(path, 'get', answer);
      }
    }
  });

  it('is also a public page for people', async () => {
    const page = await get(slipway, '/docs', null, { headers: { Accept: 'text/html' } });
    expect(page.status).toBe(200);
    const text = readElements(page.text)
      .filter(({ tag }) => tag === 'body')
      .map((body) => body.text)
      .join();
    for (const word of ['/api/organizations', 'distribution_name', 'Idempotency-Key', 'curl']) {
      expect(text.toLowerCase()).toContain(word.toLowerCase());
    }
  });
});
