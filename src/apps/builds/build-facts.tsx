/** Package details as definition lists for the app page and the build page. */

import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import { type BuildSource, providerNames, sourceLinks } from '../../owners/build-source.ts';
import type {
  AndroidFacts,
  IosFacts,
  PackageInfo,
  SignatureVerification,
} from '../../packages/package-info.ts';
import { Badge } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import { formatCount, formatDay } from '../../web/components/formats.ts';
import { safeLink } from '../../web/components/safe-address.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { Build } from '../app.ts';
import {
  type BuildField,
  type BuildFieldKind,
  type BuildFields,
  buildFieldList,
  buildFields,
} from '../build-fields.ts';
import { buildTexts } from './build-texts.ts';
import { apiLevelText, minimumSystem, systemVersion } from './version-text.ts';

const t = buildTexts.facts;

export function PackageFacts({ info }: { info: PackageInfo }) {
  const ios = info.platform === 'ios';
  return (
    <Facts
      facts={[
        {
          label: ios ? t.bundleIdentifier : t.packageName,
          value: <InlineCode text={info.packageName} />,
        },
        { label: t.version, value: info.versionName && <bdi>{info.versionName}</bdi> },
        { label: ios ? t.buildNumber : t.versionCode, value: <bdi>{info.versionCode}</bdi> },
        { label: t.minimum, value: minimumSystem(info) },
        ...(info.android ? androidFacts(info, info.android) : []),
        ...(info.ios ? iosFacts(info.ios) : []),
      ]}
    />
  );
}

function androidFacts(info: PackageInfo, android: AndroidFacts): Fact[] {
  const target = info.targetSdkVersion;
  return [
    { label: t.versionCodeMajor, value: android.versionCodeMajor },
    { label: t.target, value: android.targetSdkCodename ?? (target === null ? null : apiLevelText(target)) },
    {
      label: t.compile,
      value: android.compileSdkVersion === null ? null : apiLevelText(android.compileSdkVersion),
    },
    { label: t.maximum, value: android.maxSdkVersion === null ? null : apiLevelText(android.maxSdkVersion) },
    { label: t.abis, value: android.nativeAbis.join(', ') },
    { label: t.debuggable, value: android.debuggable ? texts.yes : null },
    { label: t.testOnly, value: android.testOnly ? texts.yes : null },
  ];
}

function iosFacts(ios: IosFacts): Fact[] {
  return [
    {
      label: t.devices,
      value: ios.deviceFamilies.map((family) => buildTexts.deviceFamilies[family]).join(', '),
    },
    { label: t.executable, value: ios.executable && <InlineCode text={ios.executable} /> },
    { label: t.extensions, value: machines(ios.extensions) },
    { label: t.appClips, value: machines(ios.appClips) },
    { label: t.watchApps, value: machines(ios.watchApps) },
  ];
}

function machines(names: readonly string[]) {
  if (names.length === 0) return null;
  return (
    <span class="machines">
      {names.map((name) => (
        <InlineCode key={name} text={name} />
      ))}
    </span>
  );
}

export function SigningFactsList(props: { info: PackageInfo; verification: SignatureVerification | null }) {
  const { signing, signature, platform } = props.info;
  const [certificate] = signing.certificates;
  if (signing.schemes.length === 0) return <p>{t.unsigned}</p>;
  return (
    <Facts
      facts={[
        { label: t.schemes, value: platform === 'android' ? signing.schemes.join(', ') : null },
        { label: t.verified, value: props.verification && verifiedText(props.verification) },
        { label: t.signature, value: signature && <InlineCode text={signature} /> },
        { label: t.sha256, value: certificate && <InlineCode text={certificate.sha256} /> },
        { label: t.subject, value: certificate && <bdi>{certificate.subject}</bdi> },
        {
          label: t.issuer,
          value: certificate && certificate.issuer !== certificate.subject && <bdi>{certificate.issuer}</bdi>,
        },
        { label: t.key, value: certificate?.key },
        {
          label: t.valid,
          value: certificate && `${day(certificate.validFrom)} – ${day(certificate.validUntil)}`,
        },
        { label: t.lineage, value: machines(signing.lineage) },
        { label: t.sourceStamp, value: signing.sourceStamp ? texts.yes : null },
      ].map((fact) => ({ ...fact, value: fact.value === false ? null : fact.value }))}
    />
  );
}

function verifiedText(verification: SignatureVerification): string {
  if (!verification.verified) return t.notVerified;
  const from = verification.verifiedFromSdk;
  return from === null ? texts.yes : t.verifiedFrom({ sdk: systemVersion('android', String(from)) });
}

function day(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : formatDay(at);
}

export function ProfileFacts({ ios, now }: { ios: IosFacts; now: number }) {
  const { profile } = ios;
  if (!profile) return null;
  const expiresAt = Date.parse(profile.expiresAt ?? '');
  const team = [profile.teamName, profile.teamIdentifier && `(${profile.teamIdentifier})`];
  return (
    <Facts
      facts={[
        { label: t.profileType, value: buildTexts.profileTypes[profile.type] },
        { label: t.profileName, value: <bdi>{profile.name}</bdi> },
        { label: t.team, value: <bdi>{team.filter(Boolean).join(' ')}</bdi> },
        {
          label: t.expires,
          value: Number.isNaN(expiresAt) ? null : <Timestamp at={expiresAt} now={now} exact />,
        },
        {
          label: t.profileDevices,
          value: profile.devices.length > 0 ? formatCount(profile.devices.length) : null,
        },
        { label: t.uuid, value: <InlineCode text={profile.uuid} /> },
      ]}
    />
  );
}

/** Returns the free fields that have a value, in display order. `short`: abbreviates commits, and shows the host of addresses. */
export function buildFieldFacts(build: BuildFields & Pick<Build, 'source'>, { short = false } = {}): Fact[] {
  const { source } = build;
  // The line of a verified source has its commit and run.
  const stated =
    source && short ? buildFieldList.filter((field) => !sourceFields.includes(field)) : buildFieldList;
  return [
    { label: t.builtBy, value: source && <VerifiedSource source={source} /> },
    ...stated.map((field) => {
      const text = build[field];
      return {
        label: t[field],
        value: text && <FieldValue kind={buildFields[field].kind} text={text} short={short} />,
      };
    }),
  ];
}

const sourceFields: readonly BuildField[] = ['commit', 'buildUrl'];

/** As on GitHub and GitLab. */
const sourceCommitLength = 7;

/** The parts of a source in display order: repository, commit and run. */
function sourceParts({ provider, repository, commit, run_id: run }: BuildSource) {
  return {
    repository: repository ?? (provider === 'other' ? t.someCi : providerNames[provider]),
    commit: commit && (/^[0-9a-f]+$/i.test(commit) ? commit.slice(0, sourceCommitLength) : commit),
    run: run && t.run({ run }),
  };
}

const joinedSource = (source: BuildSource) => {
  const { repository, commit, run } = sourceParts(source);
  return [repository, commit, run].filter(Boolean).join(' · ');
};

/** `Built by acme/tide · 1a2b3c4 · run 42, verified` */
export const sourceText = (source: BuildSource): string => t.sourceText({ source: joinedSource(source) });

/** The same next to a label. */
export const sourceValue = (source: BuildSource): string => t.sourceValue({ source: joinedSource(source) });

/** Whose CI made the build: the repository, or the CI if its token names none. */
export const sourceRepository = (source: BuildSource): string => sourceParts(source).repository;

export function VerifiedSource({ source }: { source: BuildSource }) {
  const { repository, commit, run } = sourceParts(source);
  const links = sourceLinks(source);
  return (
    <span class="source-line">
      <InlineCode text={repository} />
      {commit && (
        <>
          {' · '}
          <SourceLink address={links.commit}>
            <code class="machine" dir="auto" title={source.commit ?? undefined}>
              {commit}
            </code>
          </SourceLink>
        </>
      )}
      {run && (
        <>
          {' · '}
          <SourceLink address={links.run}>
            <bdi>{run}</bdi>
          </SourceLink>
        </>
      )}{' '}
      <span title={t.verifiedHint}>
        <Badge tone="good">{t.sourceVerified}</Badge>
      </span>
    </span>
  );
}

function SourceLink({ address, children }: { address: string | null; children: ComponentChildren }) {
  if (address === null) return <>{children}</>;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Slightly longer than on GitHub and GitLab. */
const shortCommitLength = 10;

function FieldValue({ kind, text, short }: { kind: BuildFieldKind; text: string; short: boolean }) {
  if (kind === 'words') return <bdi>{text}</bdi>;
  if (kind === 'commit' && short) {
    const isDigest = /^[0-9a-f]{12,64}$/i.test(text);
    return (
      <code class="machine" dir="auto" title={text}>
        {isDigest ? text.slice(0, shortCommitLength) : text}
      </code>
    );
  }
  // Addresses that must not become links are shown as text.
  const address = kind === 'url' ? safeLink(text) : null;
  if (!address) return <InlineCode text={text} />;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {short ? new URL(address).host : <bdi>{text}</bdi>}
    </a>
  );
}

export function OriginFacts({ build, now }: { build: Build; now: number }) {
  return (
    <Facts
      facts={[
        { label: t.uploaded, value: <Timestamp at={build.createdAt} now={now} exact /> },
        { label: t.uploadedBy, value: <bdi>{build.uploadedBy}</bdi> },
        ...buildFieldFacts(build),
        { label: t.workflow, value: build.source?.workflow && <InlineCode text={build.source.workflow} /> },
        { label: t.startedBy, value: build.source?.actor && <bdi>{build.source.actor}</bdi> },
      ]}
    />
  );
}

export function FileFacts({ build }: { build: Build }) {
  return (
    <Facts
      facts={[
        { label: t.size, value: formatBytes(build.sizeBytes) },
        { label: t.md5, value: <InlineCode text={build.md5} /> },
        { label: t.fileSha256, value: <InlineCode text={build.sha256} /> },
        ...(build.apk?.state === 'ready'
          ? [
              { label: t.apkSize, value: formatBytes(build.apk.sizeBytes) },
              { label: t.apkSha256, value: <InlineCode text={build.apk.sha256} /> },
            ]
          : []),
      ]}
    />
  );
}
