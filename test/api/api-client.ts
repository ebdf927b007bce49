/** Calls operations of `/api/v1` by their id, and checks every answer against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { type Answer, json, send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import type { TestService } from '../support/test-service.ts';

interface Operation {
  operationId?: string;
  parameters?: { name: string }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface ApiRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** The administrator's by default; null sends none. */
  key?: string | null;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the document describes
type Value = any;

export interface ApiAnswer extends Answer {
  value: Value;
}

export interface ApiClient {
  /** Throws unless the status is `status`, and the body fits the document. */
  call(operationId: string, status: number, request?: ApiRequest): Promise<ApiAnswer>;
  operationIds: readonly string[];
  /** The operations that were called with success. */
  called: ReadonlySet<string>;
  /** The operations that return lists in pages, with the request for the longest first page. */
  lists: ReadonlyMap<string, ApiRequest>;
}

export async function createApiClient(slipway: Pick<TestService, 'port' | 'adminKey'>): Promise<ApiClient> {
  const document = json<{ paths: Record<string, Record<string, Operation>> }>(
    await send(slipway.port, '/api/openapi.json'),
  );
  const operations = new Map<string, { method: string; path: string; operation: Operation }>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== undefined && path.startsWith('/api/v1/'))
        operations.set(operation.operationId, { method: method.toUpperCase(), path, operation });
    }
  }
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'slipway' });
  const checks = new Map<string, ValidateFunction>();
  const checkOf = (pointer: string) => {
    const known = checks.get(pointer) ?? ajv.compile({ $ref: `slipway#${pointer}` });
    checks.set(pointer, known);
    return known;
  };
  const called = new Set<string>();
  const lists = new Map<string, ApiRequest>();
  const longest = new Map<string, number>();
  for (const [id, { operation }] of operations)
    if (operation.parameters?.some(({ name }) => name === 'cursor')) lists.set(id, {});
  return {
    operationIds: [...operations.keys()],
    called,
    lists,
    call: async (operationId, status, request = {}) => {
      const { params = {}, query = {}, body, headers = {}, key } = request;
      const known = operations.get(operationId);
      if (!known) throw new Error(`there is no operation ${operationId}`);
      const { method, path, operation } = known;
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        if (params[name] === undefined) throw new Error(`${operationId} needs the parameter ${name}`);
        return encodeURIComponent(String(params[name]));
      });
      const search = new URLSearchParams(query).toString();
      const sent = key === undefined ? slipway.adminKey : key;
      const answer = await send(slipway.port, search === '' ? filled : `${filled}?${search}`, {
        method,
        headers: {
          ...(sent === null ? {} : bearer(sent)),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      expect([operationId, answer.status, status === answer.status ? '' : answer.text]).toEqual([
        operationId,
        status,
        '',
      ]);
      const described = operation.responses[status];
      if (!described) throw new Error(`${operationId} does not describe ${status}`);
      if (status < 400) called.add(operationId);
      const [mediaType] = Object.keys(described.content ?? {});
      if (mediaType === undefined) {
        expect([operationId, answer.text]).toEqual([operationId, '']);
        return { ...answer, value: null };
      }
      expect(answer.headers['content-type']?.split(';')[0]).toBe(mediaType);
      if (!mediaType.endsWith('json')) return { ...answer, value: null };
      const value: Value = JSON.parse(answer.text);
      const pointer = [
        'paths',
        path,
        method.toLowerCase(),
        'responses',
        status,
        'content',
        mediaType,
        'schema',
      ]
        .map((part) => `/${encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
        .join('');
      const check = checkOf(pointer);
      check(value);
      expect([operationId, check.errors ?? []]).toEqual([operationId, []]);
      const items: number = lists.has(operationId) && status === 200 ? value.data.length : 0;
      if (items > (longest.get(operationId) ?? 0)) {
        longest.set(operationId, items);
        lists.set(operationId, request);
      }
      return { ...answer, value };
    },
  };
}
