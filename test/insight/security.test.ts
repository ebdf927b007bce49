/** What a build states about security: the facts, the page, the API and the comparison. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { securityFacts } from '../../src/insight/security/security-facts.ts';
import { securitySentence } from '../../src/insight/security/security-texts.ts';
import type { AndroidAnalysis, IosAnalysis, PackageAnalysis } from '../../src/packages/analysis/analysis.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBinaryXml } from '../support/build-binary-xml.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const analysisOf = (parts: Pick<Partial<PackageAnalysis>, 'android' | 'ios' | 'gaps'>) =>
  ({ gaps: [], android: null, ios: null, ...parts }) as unknown as PackageAnalysis;

const manifest: AndroidAnalysis['manifest'] = {
  debuggable: false,
  testOnly: false,
  allowBackup: false,
  usesCleartextTraffic: false,
  extractNativeLibs: null,
  isGame: false,
  targetSdk: 36,
  minSdk: 24,
  permissions: [],
  features: [],
  exported: [],
  deepLinks: [],
};
type Backup = NonNullable<AndroidAnalysis['backup']>;
const nothing: Backup['cloud'] = { allowed: false, includes: [], excludes: [], needsEncryption: false };
const android = (
  changes: Partial<AndroidAnalysis['manifest']>,
  networkSecurity: AndroidAnalysis['networkSecurity'] = null,
  backup: AndroidAnalysis['backup'] = { cloud: nothing, transfer: nothing },
) => ({ manifest: { ...manifest, ...changes }, networkSecurity, backup }) as AndroidAnalysis;

const factsOf = (analysis: PackageAnalysis) =>
  Object.fromEntries(securityFacts(analysis).map(({ kind, severity }) => [kind, severity]));

describe('facts of an Android app', () => {
  it('are in order for a release build', () => {
    const severities = new Set(Object.values(factsOf(analysisOf({ android: android({}) }))));
    expect([...severities]).toEqual(['good']);
  });

  it('name what is open to other apps, the worst first', () => {
    const exported = [
      { kind: 'activity', name: 'a.Main', permission: null },
      { kind: 'service', name: 'a.Sync', permission: null },
      { kind: 'provider', name: 'a.Files', permission: 'a.READ' },
    ] as const;
    const facts = securityFacts(
      analysisOf({ android: android({ debuggable: true, exported: [...exported] }) }),
    );
    expect(facts.slice(0, 3)).toEqual([
      { kind: 'debuggable', severity: 'high', items: [] },
      { kind: 'exported_components', severity: 'medium', items: ['service a.Sync'] },
      { kind: 'exported_activities', severity: 'low', items: ['a.Main'] },
    ]);
  });

  it('follow the defaults of the system for cleartext traffic', () => {
    const cleartext = (targetSdk: number, stated: boolean | null, config: boolean | null) =>
      factsOf(
        analysisOf({
          android: android(
            { targetSdk, usesCleartextTraffic: stated },
            { cleartextByDefault: config, cleartextDomains: [], userCertificates: false },
          ),
        }),
      ).cleartext;
    expect([cleartext(27, null, null), cleartext(28, null, null)]).toEqual(['high', 'good']);
    expect([cleartext(28, true, null), cleartext(28, true, false)]).toEqual(['high', 'good']);
  });

  describe('about backup', () => {
    const ofBackup = (backup: AndroidAnalysis['backup']) =>
      securityFacts(analysisOf({ android: android({}, null, backup) })).filter(({ kind }) =>
        /^(?:backup|device_transfer)/.test(kind),
      );
    const everything = { ...nothing, allowed: true };

    it('say what the cloud and a new device receive', () => {
      const excluding = { ...everything, excludes: ['sharedpref auth.xml', 'database .'] };
      const [transfer, rules, encryption] = ofBackup({ cloud: excluding, transfer: everything });
      expect(transfer).toEqual({ kind: 'device_transfer', severity: 'low', items: [] });
      expect([rules?.kind, rules?.severity]).toEqual(['backup_rules', 'info']);
      expect(rules?.items).toEqual(['exclude sharedpref auth.xml', 'exclude database .']);
      expect(rules && securitySentence(rules)).toMatch(/^Everything is backed up except 2 paths\./);
      expect([encryption?.kind, encryption?.severity]).toEqual(['backup_encryption', 'info']);
      const [only] = ofBackup({ cloud: nothing, transfer: { ...everything, includes: ['file notes/'] } });
      expect(only && securitySentence(only)).toMatch(/^Only 1 path is copied\./);
    });

    it('are in order if nothing is backed up, or only with encryption', () => {
      const kinds = (backup: Backup) => ofBackup(backup).map(({ kind, severity }) => `${kind} ${severity}`);
      expect(kinds({ cloud: nothing, transfer: nothing })).toEqual(['backup good', 'device_transfer good']);
      expect(kinds({ cloud: { ...everything, needsEncryption: true }, transfer: nothing })).toEqual([
        'backup low',
        'backup_encryption good',
        'device_transfer good',
      ]);
    });

    it('are not analyzed if a file was not, or an earlier analyzer ran', () => {
      for (const backup of [null, undefined])
        expect(
          securityFacts(
            analysisOf({ android: { ...android({}), backup } as unknown as AndroidAnalysis }),
          ).flatMap(({ kind, severity }) => (severity === 'not_analyzed' ? kind : [])),
        ).toEqual(['backup', 'device_transfer']);
    });
  });

  it('are not analyzed if the manifest was not', () => {
    const gaps = [{ part: 'manifest' as const, path: null, reason: 'unreadable' as const }];
    const facts = factsOf(analysisOf({ android: android({}), gaps }));
    expect([facts.debuggable, facts.backup]).toEqual(['not_analyzed', 'not_analyzed']);
  });
});

it('says nothing about debugging of an unsigned iOS app', () => {
  const ios = {
    appTransportSecurity: { arbitraryLoads: false, exceptions: [] },
    entitlements: {},
    getTaskAllow: null,
    urlSchemes: [],
    usageDescriptions: [],
    backgroundModes: [],
  } as unknown as IosAnalysis;
  expect(factsOf(analysisOf({ ios })).get_task_allow).toBe('not_analyzed');
});

describe('the security of a build', () => {
  let slipway: TestService;
  let owner: BrowserSession;
  let secret: string;
  let uploadKey: string;
  const app = '/users/keeper/platforms/ios/apps/com.example.open';
  const key = `AIza${'Zx81Qw29Er37Ty46Ui55Op64As73Df82Gh9'}`;

  beforeAll(async () => {
    slipway = await startTestService();
    uploadKey = await slipway.user('keeper');
    owner = await signIn(slipway, 'keeper');
    const spec = { bundleIdentifier: 'com.example.open', identity: createSigningIdentity() };
    const files = [
      buildIpa(spec),
      buildIpa({
        ...spec,
        infoPlist: {
          NSAppTransportSecurity: { NSAllowsArbitraryLoads: true },
          CFBundleURLTypes: [{ CFBundleURLSchemes: ['open<b>'] }],
        },
        files: { 'config.json': `{"key":"${key}"}` },
      }),
    ];
    for (const file of files) {
      const result = await uploaded(slipway, { owner: 'keeper', key: uploadKey, file });
      secret = result.secret;
    }
    const rules = buildBinaryXml({
      name: 'data-extraction-rules',
      children: [
        {
          name: 'device-transfer',
          children: [
            {
              name: 'exclude',
              attributes: [
                { name: 'domain', value: 'sharedpref', resourceId: 0 },
                { name: 'path', value: 'auth.xml', resourceId: 0 },
              ],
            },
          ],
        },
      ],
    });
    const attribute = { name: 'dataExtractionRules', value: 'res/rules.xml', resourceId: 0x0101063e };
    const named = { packageName: 'com.example.open', targetSdk: 35 };
    const extraEntries = [{ name: 'res/rules.xml', content: rules }];
    for (const spec of [named, { ...named, applicationAttributes: [attribute], extraEntries }])
      await uploaded(slipway, { owner: 'keeper', key: uploadKey, file: buildApk(spec) });
    await settleOutbox(slipway);
  });
  afterAll(() => slipway.close());

  it('is a page with severities, what to do, and redacted secrets for people who manage the app', async () => {
    const html = (await owner.get(`${app}/binaries/2/security`)).text;
    expect(html).toContain('NSAllowsArbitraryLoads lets the app connect without encryption.');
    expect(html).toContain('Debuggers can attach to the app.');
    expect(html).toContain('open&lt;b>');
    expect(html).toContain('AIza…');
    expect(html).not.toContain(key);
    expect((await owner.get(`${app}/binaries/1/security`)).text).toContain('No keys or tokens');
  });

  it('keeps secrets from people who only see the app', async () => {
    const answer = await get(slipway, `${app}/binaries/2/security?key=${secret}`, null, {
      headers: { Accept: 'text/html' },
    });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('NSAllowsArbitraryLoads');
    expect(answer.text).not.toContain('AIza');
    expect(answer.text).not.toContain('Secrets in the package');
  });

  it('is part of the checks in the API, without secrets', async () => {
    const path = '/api/v1/apps/keeper/ios/com.example.open/builds/2/checks';
    const { text } = await get(slipway, path, uploadKey);
    expect(JSON.parse(text).facts[0]).toEqual({
      id: 'arbitrary_loads',
      severity: 'high',
      title: 'App Transport Security',
      text: expect.stringMatching(/^NSAllowsArbitraryLoads/),
      items: [],
    });
    expect(text).not.toContain('AIza');
  });

  it('is compared between two builds', async () => {
    const html = (await owner.get(`${app}/compare?from=1&to=2`)).text;
    expect(html).toContain('Deep links and URL schemes');
    expect(html).toContain('open&lt;b>:');
  });

  it('compares what is copied to a new device', async () => {
    const html = (
      await owner.get('/users/keeper/platforms/android/apps/com.example.open/compare?from=1&to=2')
    ).text;
    expect(html).toContain('Transfer to a new device');
    expect(html).toContain('exclude sharedpref auth.xml');
    expect(html).toContain('All data');
    expect(html).not.toContain('Cloud backup');
  });
});
