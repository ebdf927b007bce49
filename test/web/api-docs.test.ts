import { describe, expect, it } from 'vitest';
import { renderApiDocsPage } from '../../src/web/api-docs/api-docs-page.tsx';
import { curlExample } from '../../src/web/api-docs/curl-example.ts';
import { readOpenApi } from '../../src/web/api-docs/open-api.ts';
import { readElements } from './elements.ts';
import { makeFrame, origin, plainText } from './hostile.ts';

const document = {
  openapi: '3.1.0',
  info: { title: 'Slipway API', version: '0.1' },
  tags: [{ name: 'Uploads' }, { name: 'Unused' }],
  security: [{ key: [] }],
  paths: {
    '/api/users/{owner}/apps': {
      parameters: [{ $ref: '#/components/parameters/Owner' }],
      post: {
        tags: ['Uploads'],
        summary: 'Upload a build',
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                required: ['file'],
                properties: {
                  file: { type: 'string', format: 'binary' },
                  message: { type: 'string', examples: ["It's new"] },
                  label: { type: 'string' },
                },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'Done',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/def-0' } } },
          },
        },
      },
    },
    '/healthz': { get: { security: [], summary: 'Alive', responses: { 204: { description: 'Yes' } } } },
    '/api/things/{id}': {
      put: {
        summary: 'Change',
        requestBody: { content: { 'application/json': { example: { name: "o'k" } } } },
        responses: {},
      },
    },
  },
  components: {
    parameters: {
      Owner: { name: 'owner', in: 'path', required: true, example: 'mina', schema: { type: 'string' } },
    },
    schemas: {
      'def-0': {
        title: 'Build',
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'Display name.' },
          target: { type: ['integer', 'null'] },
          system: { enum: ['Android', 'iOS'] },
          error: { const: false },
          parent: { $ref: '#/components/schemas/def-0' },
          parts: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } },
        },
      },
    },
  },
};

const api = readOpenApi(document, 'Other');
const operations = api.groups.flatMap((group) => group.operations);

describe('reading an OpenAPI document', () => {
  it('groups operations by their first tag and omits empty groups', () => {
    expect(api.groups.map(({ name, operations: of }) => [name, of.length])).toEqual([
      ['Uploads', 1],
      ['Other', 2],
    ]);
  });

  it('follows references and names their schemas', () => {
    expect(operations[0]?.parameters).toMatchObject([
      { name: 'owner', place: 'path', required: true, example: 'mina' },
    ]);
    expect(operations[0]?.responses[0]?.schema).toMatchObject({ reference: 'Build', fields: [] });
    const { schema } = api.schemas.find(({ name }) => name === 'Build') ?? {};
    const types = Object.fromEntries(schema?.fields.map((field) => [field.name, field.schema.type]) ?? []);
    expect(types).toEqual({
      name: 'string',
      target: 'integer | null',
      system: '"Android" | "iOS"',
      error: 'false',
      parent: 'Build',
      parts: 'array of object',
    });
    expect(schema?.fields.find(({ name }) => name === 'parts')?.schema.fields[0]?.name).toBe('size');
    expect(schema?.fields.find(({ name }) => name === 'parent')?.schema.fields).toEqual([]);
  });

  it('shows which operations need a key', () => {
    expect(operations.map(({ needsKey }) => needsKey)).toEqual([true, false, true]);
  });

  it.each([null, 7])('contains nothing for %j', (odd) => {
    expect(readOpenApi(odd, 'Other')).toMatchObject({ title: '', groups: [], schemas: [], codes: [] });
  });

  it.each([[], {}, { paths: { '/x': { get: 1 } } }, { paths: { '/x': { get: { responses: 3 } } } }])(
    'results in a page even for %j',
    (odd) => {
      const html = renderApiDocsPage({
        frame: makeFrame(plainText),
        document: odd,
        documentAddress: '/d.json',
      });
      expect(readElements(html).filter(({ tag }) => tag === 'h1')).toHaveLength(1);
    },
  );

  it('stops at unnamed schemas that contain themselves', () => {
    const endless: Record<string, unknown> = { type: 'object' };
    endless.properties = { nested_schema: endless };
    const paths = {
      '/x': { get: { responses: { 200: { content: { 'application/json': { schema: endless } } } } } },
    };
    const html = renderApiDocsPage({
      frame: makeFrame(plainText),
      document: { paths },
      documentAddress: '/d.json',
    });
    expect(html.match(/nested_schema/g)?.length).toBe(6);
  });
});

describe('curl examples', () => {
  const examples = operations.map((operation) => curlExample(operation, origin));

  it('send forms with the required fields and those that have an example', () => {
    expect(examples[0]).toBe(
      [
        `curl ${origin}/api/users/mina/apps`,
        '-H "Authorization: Bearer $SLIPWAY_API_KEY"',
        '-F file=@app.apk',
        `--form-string 'message=It'\\''s new'`,
      ].join(' \\\n  '),
    );
  });

  it('use the reader’s name as owner, and are quoted for the shell where needed', () => {
    const [upload] = operations;
    if (!upload) throw new Error('no operation');
    expect(curlExample(upload, origin, 'o"k {a}')).toContain('/api/users/o%22k%20%7Ba%7D/apps');
    const noExample = { ...upload, parameters: [] };
    expect(curlExample(noExample, 'https://h/$(id)')).toContain(
      "curl 'https://h/$(id)/api/users/OWNER/apps'",
    );
    expect(examples.join('\n')).not.toMatch(/[{}]\/|\/[{}]/);
  });

  it('omit the key where none is needed', () => {
    expect(examples[1]).toBe(`curl ${origin}/healthz`);
  });

  it('send JSON with an explicit method other than the default', () => {
    expect(examples[2]).toContain('-X PUT');
    expect(examples[2]).toContain(`-d '{"name":"o'\\''k"}'`);
  });
});
