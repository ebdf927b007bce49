/**
 * Credentials that must never be in an app, because everyone who installs it can read them. Only formats that nothing else has are
 * looked for. A value never leaves this file in full.
 */
import type { EntryReader, ZipEntry } from '../zip/zip-archive.ts';
import type { PackageAnalysis } from './analysis.ts';
import { addGap, collectGap, type Gap } from './gaps.ts';
import { piecesOf } from './read-frugally.ts';

type Secret = PackageAnalysis['secrets'][number];

/** Limits of one package. */
export const secretLimits = {
  /** Files beyond are not searched. */
  fileBytes: 256 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  secrets: 100,
};

/** The longest match, without the body of a private key, of which the start suffices. */
const overlapBytes = 512;

/** Every match of `pattern` contains one of these. */
const hints = [
  'AKIA',
  'ASIA',
  'AIza',
  '_live_',
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'xox',
  'PRIVATE KEY-----',
].map((text) => Buffer.from(text));

/** GitHub's, Stripe's, Slack's and Google's formats have no length limit in common; each ends where its alphabet does. */
const pattern = new RegExp(
  [
    /(?<![A-Za-z0-9+/=_-])(?<aws_access_key>(?:AKIA|ASIA)[A-Z2-7]{16})(?![A-Za-z0-9+/=_-])/,
    /(?<![A-Za-z0-9+/=_-])(?<google_api_key>AIza[0-9A-Za-z_-]{35})(?![A-Za-z0-9_-])/,
    /(?<![A-Za-z0-9_])(?<stripe_key>[rs]k_live_[0-9A-Za-z]{24,200})(?![A-Za-z0-9])/,
    /(?<![A-Za-z0-9_])(?<github_token>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})(?![A-Za-z0-9_])/,
    /(?<![A-Za-z0-9_])(?<slack_token>xox[abeprs]-\d{8,}-[0-9A-Za-z-]{16,200})/,
    /(?<private_key>-----BEGIN (?:RSA |EC |DSA |OPENSSH )?PRIVATE KEY-----(?:\\r|\\n|\s){1,4}[A-Za-z0-9+/]{40})/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
/** What a value starts with is what its kind is recognized by. */
const shownPrefix: Readonly<Record<string, number>> = {
  aws_access_key: 4,
  google_api_key: 4,
  stripe_key: 8,
  github_token: 4,
  slack_token: 5,
  private_key: 0,
};

/** Documentation of AWS uses keys that end like this. */
const isExample = (value: string) => value.endsWith('EXAMPLE');

/** Pictures, sounds, fonts and compressed files have no text to look for. */
const withoutText =
  /\.(?:png|jpe?g|gif|webp|avif|heic|bmp|ktx|astc|pvr|mp[34]|m4[av]|mov|webm|3gp|mkv|aac|ogg|wav|caf|flac|aiff?|tt[fc]|otf|woff2?|car|nib|zip|gz|br|apk|jar|tflite|mlmodelc?|arsc|rsa|dsa|ec|mobileprovision|xcprivacy)$/i;

/** Searches every file that may contain text: code, property lists, assets and scripts. */
export async function findSecrets(
  archive: EntryReader & { readonly entries: readonly ZipEntry[] },
  gaps: Gap[],
  limits = secretLimits,
): Promise<Secret[]> {
  const found = new Map<string, Secret>();
  let left = limits.totalBytes;
  for (const entry of archive.entries) {
    if (
      entry.uncompressedBytes === 0 ||
      withoutText.test(entry.name) ||
      /^(?:META-INF\/[^/]+\.(?:SF|MF)|BUNDLE-METADATA\/.*)$/i.test(entry.name)
    )
      continue;
    left -= entry.uncompressedBytes;
    if (left < 0 || entry.uncompressedBytes > limits.fileBytes) {
      addGap(gaps, 'secrets', entry.name, 'too_large');
      if (left < 0) break;
      continue;
    }
    await collectGap(gaps, 'secrets', entry, async () => {
      for await (const secret of secretsOf(archive, entry)) {
        if (found.size === limits.secrets) return;
        found.set(JSON.stringify(secret), secret);
      }
    });
  }
  return [...found.values()];
}

async function* secretsOf(archive: EntryReader, entry: ZipEntry): AsyncGenerator<Secret> {
  let open: Buffer = Buffer.alloc(0);
  for await (const chunk of piecesOf(archive, entry)) {
    const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
    // Expressions are much slower than a search for bytes, and nearly every piece contains none of these.
    if (hints.some((hint) => bytes.includes(hint))) yield* matchesIn(bytes.toString('latin1'), entry.name);
    open = bytes.subarray(-overlapBytes);
  }
}

function* matchesIn(text: string, path: string): Generator<Secret> {
  for (const { groups = {} } of text.matchAll(pattern)) {
    for (const [kind, value] of Object.entries(groups)) {
      if (value !== undefined && !isExample(value)) yield { kind, path, redacted: redact(kind, value) };
    }
  }
}

/** Shows what identifies the kind, and the last characters, by which owners recognize their key. */
function redact(kind: string, value: string): string {
  if (kind === 'private_key') return value.slice(0, value.indexOf('KEY-----') + 'KEY-----'.length);
  return `${value.slice(0, shownPrefix[kind] ?? 0)}…${value.slice(-4)}`;
}
