/** `slipway doctor` as a separate process next to the server, with the proxy's certificate authority. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorCheck } from '../../src/operations/doctor/doctor-check.ts';
import {
  makeCertificates,
  programs,
  type RunningProxy,
  startProxy,
  type TestCertificates,
} from '../proxy/proxy-examples.ts';
import { type CliResult, createInstallation, type Installation, jsonLines } from '../support/run-cli.ts';

describe.skipIf(!existsSync(programs.nginx))('doctor (needs nginx)', () => {
  let slipway: Installation;
  let certificates: TestCertificates;
  let proxy: RunningProxy;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    certificates = makeCertificates();
    const server = await slipway.serve({ environment: { SLIPWAY_TRUST_PROXY: '127.0.0.1' } });
    const upstreamPort = Number(new URL(server.origin).port);
    proxy = await startProxy('nginx', { upstreamPort, certificate: certificates.good });
  });
  afterAll(async () => {
    await proxy?.stop();
    certificates?.remove();
    await slipway?.remove();
  });
  const doctor = (args: string[], more: Record<string, string> = {}): Promise<CliResult> =>
    slipway.run(['doctor', ...args], { environment: { SLIPWAY_URL: proxy.origin, ...more }, process: true });

  it('exits with 0 when there is no problem and with 1 when there is one', async () => {
    const trusting = await doctor(['--json'], { NODE_EXTRA_CA_CERTS: certificates.authorityFile });
    const checks = jsonLines(trusting.stdout) as unknown as DoctorCheck[];
    expect(checks.filter(({ state }) => state === 'problem' || state === 'skipped')).toEqual([]);
    expect(trusting).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(checks[0] ?? {})).toEqual(['id', 'title', 'state', 'found', 'advice']);
    const wary = await doctor([]);
    expect(wary.code).toBe(1);
    expect(wary.stdout).toMatch(/✗ Certificate .*(authority|chain)/);
    expect(wary.stdout).toMatch(/\nFound one problem\.\n$/);
  });
});
