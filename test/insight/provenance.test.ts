/** Attestations at upload and later, from a private root; and the commit that a package names. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxAttestationBytes } from '../../src/insight/provenance/attestation.ts';
import { commitsAgree } from '../../src/insight/provenance/provenance.ts';
import { createAttestationVerifier } from '../../src/insight/provenance/verify-attestation.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { send } from '../support/http-client.ts';
import { bearer, upload, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { createPrivateSigstore, signerIdentity } from '../support/private-sigstore.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const sigstore = createPrivateSigstore();
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const digest = digestOf(Buffer.from('file'));
const commit = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const versionControl = Buffer.from(
  `repositories {\n  system: GIT\n  local_root_path: "$PROJECT_DIR"\n  revision: "${commit}"\n}\n`,
);

let folder: string;
let roots: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-provenance-'));
  roots = join(folder, 'trusted_root.json');
  await writeFile(roots, JSON.stringify(sigstore.trustedRoot));
});
afterAll(() => rm(folder, { recursive: true }));

describe('attestations', () => {
  const verify = (bundle: unknown) =>
    createAttestationVerifier(roots).verify(typeof bundle === 'string' ? bundle : JSON.stringify(bundle), [
      digest,
    ]);
  const mutated = (change: (bundle: ReturnType<typeof parse>) => void) => {
    const bundle = parse(sigstore.createBundle({ sha256: digest }));
    change(bundle);
    return bundle;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests change any part of the JSON
  const parse = (bundle: object): any => JSON.parse(JSON.stringify(bundle));

  it('say who signed, from what, and when', async () => {
    const [found] = await verify(sigstore.createBundle({ sha256: digest, fileName: 'tide.apk' }));
    expect(found?.facts).toEqual({
      predicateType: 'https://slsa.dev/provenance/v1',
      subjectName: 'tide.apk',
      signer: signerIdentity,
      issuer: 'https://token.actions.githubusercontent.com',
      repository: 'https://github.com/acme/tide',
      commit,
      ref: 'refs/heads/main',
      runUrl: 'https://github.com/acme/tide/actions/runs/7/attempts/1',
      signedAt: Date.parse('2026-11-01T10:00:01Z'),
      root: 'configured',
    });
    const lines = ['a.apk', 'b.apk'].map((fileName) =>
      JSON.stringify(sigstore.createBundle({ sha256: digest, fileName })),
    );
    expect(await verify(`${lines.join('\n')}\n`)).toHaveLength(2);
  });

  it('are refused if the file, the root, the time or the content is another', async () => {
    const other = createPrivateSigstore();
    const at = Date.parse('2026-11-01T10:00:00Z');
    const cases: [unknown, RegExp][] = [
      [sigstore.createBundle({ sha256: digestOf(Buffer.from('other')) }), /about another file/],
      [other.createBundle({ sha256: digest }), /cannot be verified/],
      [
        sigstore.createBundle({ sha256: digest, certifiedAt: at, loggedAt: at + 700_000 }),
        /cannot be verified/,
      ],
      [
        sigstore.createBundle({ sha256: digest, payloadType: 'text/plain' }),
        /other than an in-toto statement/,
      ],
      [
        sigstore.createBundle({ sha256: digest, payload: Buffer.from('{}') }),
        /other than an in-toto statement/,
      ],
      [sigstore.createBundle({ sha256: digest, payload: Buffer.from('no json') }), /other than an in-toto/],
      ['no json', /is not JSON/],
      ['[]', /not a Sigstore bundle/],
      ['{"mediaType":"x"}', /not a Sigstore bundle/],
      [' '.repeat(maxAttestationBytes + 1), /too large/],
      [`${'[1]\n'.repeat(11)}`, /at most 10/],
      [mutated((one) => (one.dsseEnvelope.payload = 'e30=')), /cannot be verified/],
      [mutated((one) => (one.dsseEnvelope.signatures[0].sig = 'AAAA')), /cannot be verified/],
      [
        mutated((one) => (one.verificationMaterial.certificate.rawBytes = 'MAA=')),
        /not a Sigstore bundle|cannot be/,
      ],
      [mutated((one) => (one.verificationMaterial.tlogEntries = [])), /cannot be verified/],
      [
        mutated((one) => (one.verificationMaterial.tlogEntries[0].integratedTime = '1')),
        /cannot be verified/,
      ],
      [
        mutated((one) => delete one.verificationMaterial.tlogEntries[0].inclusionProof),
        /not a Sigstore bundle/,
      ],
      [
        mutated(({ verificationMaterial: one }) => {
          one.tlogEntries = Array.from({ length: 3_000 }, () => ({
            integratedTime: '1',
            inclusionPromise: {},
          }));
        }),
        /not a Sigstore bundle/,
      ],
    ];
    for (const [bundle, message] of cases)
      await expect(verify(bundle)).rejects.toMatchObject({
        kind: 'invalid',
        code: 'attestation_invalid',
        message: expect.stringMatching(message),
      });
  });

  it('of the private root are refused without it, and a damaged file of roots is reported', async () => {
    const bundle = JSON.stringify(sigstore.createBundle({ sha256: digest }));
    await expect(createAttestationVerifier(null).verify(bundle, [digest])).rejects.toMatchObject({
      code: 'attestation_invalid',
    });
    const damaged = join(folder, 'damaged.json');
    await writeFile(damaged, '{');
    await expect(createAttestationVerifier(damaged).verify(bundle, [digest])).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('whose bytes are changed at random never verify with other content', async () => {
    const text = JSON.stringify(sigstore.createBundle({ sha256: digest }));
    const [{ facts } = { facts: null }] = await verify(text);
    for (let at = 0; at < 200; at++) {
      const place = (at * 7919) % text.length;
      const changed = `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
      const result = await verify(changed).catch((error: { code?: string }) => error.code);
      if (typeof result === 'string') expect(result).toBe('attestation_invalid');
      else expect(result?.[0]?.facts).toEqual(facts);
    }
  });
});

it.each([
  [[null, null], null],
  [['abc1234', null], null],
  [['ABC1234', 'abc1234def', null], true],
  [['abc1234', 'abd1234'], false],
])('commits %j agree: %j', (commits, expected) => expect(commitsAgree(commits)).toBe(expected));

describe('the provenance of a build', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({ settings: { SLIPWAY_TRUSTED_ROOTS: roots } });
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());
  const provenanceOf = async (name: string, revision: number) => {
    const path = `/api/v1/apps/admin/android/${name}/builds/${revision}/provenance`;
    return JSON.parse((await send(slipway.port, path, { headers: bearer(slipway.adminKey) })).text);
  };

  it('has the attestation of the upload, and the commit that the file names', async () => {
    const file = buildApk({
      extraEntries: [{ name: 'META-INF/version-control-info.textproto', content: versionControl }],
    });
    const attestation = JSON.stringify(sigstore.createBundle({ sha256: digestOf(file) }));
    const { package_name: name, revision } = await uploaded(slipway, { file, fields: { attestation } });
    const found = await provenanceOf(name, revision);
    expect(found).toMatchObject({
      sha256: digestOf(file),
      commit: { stated: commit, in_package: commit, agrees: true },
      apk: null,
      attestations: [{ signer: signerIdentity, root: 'configured', attached_by: 'admin' }],
    });
    expect(found.attestations[0].bundle.dsseEnvelope.payloadType).toBe('application/vnd.in-toto+json');
    const page = (
      await admin.get(`/users/admin/platforms/android/apps/${name}/binaries/${revision}/provenance`)
    ).text;
    for (const text of ['Verified', signerIdentity, 'Attach an attestation']) expect(page).toContain(text);
    expect(page).not.toContain('The commits differ');
    const build = await admin.get(`/users/admin/platforms/android/apps/${name}/binaries/${revision}`);
    expect(build.text).toContain(`/binaries/${revision}/provenance`);
  });

  it('says when CI and the file name different commits', async () => {
    const file = buildApk({
      versionCode: 2,
      extraEntries: [{ name: 'META-INF/version-control-info.textproto', content: versionControl }],
    });
    const stated = 'beef'.repeat(10);
    const { package_name: name, revision } = await uploaded(slipway, { file, fields: { commit: stated } });
    expect((await provenanceOf(name, revision)).commit).toEqual({
      stated,
      in_package: commit,
      agrees: false,
    });
    const page = await admin.get(
      `/users/admin/platforms/android/apps/${name}/binaries/${revision}/provenance`,
    );
    expect(page.text).toContain('The commits differ');
  });

  it('refuses an upload with an attestation of another file, and stores nothing', async () => {
    const before = await slipway.leftBehind();
    const attestation = JSON.stringify(sigstore.createBundle({ sha256: digest }));
    const answer = await upload(slipway, { file: buildApk({ versionCode: 3 }), fields: { attestation } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('about another file')]);
    expect(await slipway.leftBehind()).toEqual(before);
  });

  it('gets attestations later, by the API and the form, each once', async () => {
    const file = buildBundle({
      files: { 'base/root/META-INF/version-control-info.textproto': versionControl },
    });
    const { package_name: name, revision } = await uploaded(slipway, { file });
    await slipway.service.outbox.idle();
    const bundle = sigstore.createBundle({ sha256: digestOf(file) });
    const path = `/api/v1/apps/admin/android/${name}/builds/${revision}/provenance`;
    const attach = (attestation: unknown) =>
      send(slipway.port, path, {
        method: 'POST',
        headers: { ...bearer(slipway.adminKey), 'Content-Type': 'application/json' },
        body: JSON.stringify({ attestation }),
      });
    for (const attestation of [bundle, JSON.stringify(bundle)])
      expect((await attach(attestation)).status).toBe(200);
    const refused = await attach(sigstore.createBundle({ sha256: digest }));
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([400, 'attestation_invalid']);
    const page = `/users/admin/platforms/android/apps/${name}/binaries/${revision}/provenance`;
    const csrf = /name="csrf" value="([^"]*)"/.exec((await admin.get(page)).text)?.[1] ?? '';
    const post = (content: unknown) => {
      const { contentType, body } = multipart([
        { name: 'csrf', value: csrf },
        { name: 'attestation', content: Buffer.from(JSON.stringify(content)), fileName: 'attestation.json' },
      ]);
      const headers = { 'Content-Type': contentType, Accept: 'text/html', Cookie: admin.cookie };
      return send(slipway.port, `${page}/attach`, { method: 'POST', headers, body });
    };
    const second = sigstore.createBundle({ sha256: digestOf(file), fileName: 'second.aab' });
    expect((await post(second)).headers.location).toBe(`${page}?done=attached`);
    const wrong = await post(sigstore.createBundle({ sha256: digest }));
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('about another file')]);
    const found = await provenanceOf(name, revision);
    expect(found.attestations.map((one: { subject_name: string }) => one.subject_name)).toEqual([
      'app.apk',
      'second.aab',
    ]);
    expect(found.commit).toEqual({ stated: commit, in_package: commit, agrees: true });
    expect(found.apk).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      made_from_sha256: digestOf(file),
      key_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await admin.get(page)).text).toContain('Slipway made this APK from the uploaded bundle');
  });
});
