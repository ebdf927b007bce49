/** Concurrent requests of unknown callers, shared among sites so that none can block the others. */
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { createConcurrencyLimit } from '../../src/limits/concurrent-requests-http.ts';

describe('concurrent requests', () => {
  const open = () =>
    createConcurrencyLimit(
      { maxRequests: 1000, maxRequestsPerAddress: 100, countsLoopback: false },
      () => undefined,
    );
  const from = (ip: string) => ({ ip, wasRateLimited: false }) as FastifyRequest;
  /** How many the limit admits. */
  const admitted = (limit: ReturnType<typeof open>, ip: string, tries: number, isProven = false) =>
    Array.from({ length: tries }, () => {
      try {
        return limit.admit(from(ip), isProven);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        return null;
      }
    }).filter((end) => end !== null);

  it('of strangers leave room for others, however many networks of a site send them', () => {
    const limit = open();
    const ofSite = Array.from({ length: 200 }, (_, network) =>
      admitted(limit, `2001:db8:1:${network.toString(16)}::1`, 120),
    ).flat();
    expect(ofSite).toHaveLength(375);
    expect(admitted(limit, '203.0.113.7', 120)).toHaveLength(100);
    expect(admitted(limit, '2001:db8:2::1', 120)).toHaveLength(100);
    for (const end of ofSite) end();
    expect(admitted(limit, '2001:db8:1::1', 120)).toHaveLength(100);
  });

  it('of proven callers have the total', () => {
    const limit = open();
    const ofSite = Array.from({ length: 20 }, (_, network) =>
      admitted(limit, `2001:db8:1:${network.toString(16)}::1`, 120, true),
    ).flat();
    expect(ofSite).toHaveLength(1000);
  });
});
