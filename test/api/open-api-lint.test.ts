/** The OpenAPI document passes the strict rules of a linter, examples included. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { get } from '../support/interface-client.ts';
import { startTestService } from '../support/test-service.ts';

it('passes a strict linter', { timeout: 60_000 }, async () => {
  const slipway = await startTestService();
  const { text } = await get(slipway, '/api/openapi.json', null);
  await slipway.close();
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
      'no-invalid-parameter-examples': 'error',
      'operation-4xx-response': 'error',
      'operation-operationId-unique': 'error',
      'no-ambiguous-paths': 'error',
    },
  });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  const found = problems.map(({ ruleId, message, location: [place] }) => [ruleId, message, place?.pointer]);
  expect(found).toEqual([]);
});
