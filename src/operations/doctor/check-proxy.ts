/** Interprets the responses of the public address. */
import { formatBytes } from '../../core/byte-size.ts';
import { formatList } from '../../web/components/formats.ts';
import { type DoctorCheck, ok, problem, skipped, warning } from './doctor-check.ts';
import { type ObservedRequest, probeDownload } from './doctor-probe.ts';
import { reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';
import { forged, type ProbeOutcome, type PublicAddress } from './public-address.ts';

const rangeFirst = 1000;
const rangeLast = 40_999;

/** Checks whether the public address leads to a server with the same secret. */
export function checkAddress(origin: URL, outcome: ProbeOutcome): DoctorCheck {
  const t = doctorTexts.address;
  const name = origin.origin;
  if (outcome.kind === 'failed') {
    return problem('address', t.failed({ origin: name, reason: reasonOf(outcome) }), t.failedAdvice);
  }
  if (outcome.proved) return ok('address', t.good({ origin: name }));
  const { status, headers } = outcome;
  if (status >= 300 && status < 400 && typeof headers.location === 'string') {
    const to = URL.parse(headers.location, origin)?.origin ?? headers.location;
    return problem('address', t.redirect({ origin: name, to }), t.redirectAdvice);
  }
  if (status >= 502 && status <= 504) {
    return problem('address', t.gateway({ origin: name, status }), t.gatewayAdvice);
  }
  return problem('address', t.elsewhere({ origin: name, status }), t.elsewhereAdvice);
}

/** Checks whether the server sees the visitor’s scheme, host and address, and visitors cannot forge them. */
export function checkProxyHeaders(origin: URL, outcome: ProbeOutcome): DoctorCheck {
  const t = doctorTexts.proxy;
  const seen = observedRequestIn(outcome);
  if (!seen || outcome.kind === 'failed') return skipped('proxy-headers', doctorTexts.skippedUnreached);
  const scheme = origin.protocol.slice(0, -1);
  // Without a proxy, the port of the connection is the same on both ends.
  if (seen.peer.port === outcome.localPort) return ok('proxy-headers', t.direct);
  const forwardedFor = forwardedList(seen.forwarded.for).at(-1);
  const headers = [
    { name: 'X-Forwarded-For', raw: seen.forwarded.for, forged: forged.for },
    {
      name: 'X-Forwarded-Proto',
      raw: seen.forwarded.proto,
      forged: scheme === forged.proto ? null : forged.proto,
    },
    { name: 'X-Forwarded-Host', raw: seen.forwarded.host, forged: forged.host },
  ];
  const passedOn = headers.filter(({ raw, forged: own }) => own !== null && raw === own);
  if (passedOn.length > 0) {
    return problem('proxy-headers', t.passedOn({ names: namesOf(passedOn) }), t.advice);
  }
  // A proxy that passes on the Host does not have to send X-Forwarded-Host.
  const needed = headers.filter(({ name }) => name !== 'X-Forwarded-Host' || seen.host !== origin.host);
  const absent = needed.filter(({ raw }) => raw === null);
  if (absent.length > 0) return problem('proxy-headers', t.absent({ names: namesOf(absent) }), t.advice);
  const [client, peer] = [plain(seen.client), plain(seen.peer.address)];
  const believed = seen.scheme === scheme || seen.forwarded.proto !== scheme;
  if (!believed || (client === peer && forwardedFor !== peer)) {
    return problem('proxy-headers', t.notTrusted({ peer }), t.notTrustedAdvice({ peer }));
  }
  const wrong = [
    ...(seen.scheme === scheme ? [] : [t.schemeIs({ seen: seen.scheme, wanted: scheme })]),
    ...(seen.host === origin.host ? [] : [t.hostIs({ seen: seen.host, wanted: origin.host })]),
  ];
  if (wrong.length > 0) return problem('proxy-headers', t.differs({ what: formatList(wrong) }), t.advice);
  // Headers from a client with a trusted proxy’s address are trusted, even if they are forged.
  const visitor = client === forged.for ? (forwardedFor ?? client) : client;
  return ok('proxy-headers', t.good({ scheme: seen.scheme, host: seen.host, client: visitor }));
}

const namesOf = (headers: readonly { name: string }[]) => headers.map(({ name }) => name).join(', ');
const forwardedList = (header: string | null) => header?.split(',').map((part) => part.trim()) ?? [];
/** Converts an IPv4-mapped IPv6 address to the form used in settings. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, '');

export async function checkUploadSize(address: PublicAddress, maxUploadBytes: number): Promise<DoctorCheck> {
  const t = doctorTexts.uploadSize;
  const size = formatBytes(maxUploadBytes);
  const outcome = await address.announceUpload(maxUploadBytes);
  if (outcome.kind === 'body-wanted') return ok('upload-size', t.good({ size }));
  if (outcome.kind === 'failed') {
    return warning('upload-size', t.unclear({ reason: reasonOf(outcome) }), t.unclearAdvice);
  }
  if (outcome.proved) return ok('upload-size', t.good({ size }));
  if (outcome.status === 413) return problem('upload-size', t.refused({ size }), t.refusedAdvice);
  return warning(
    'upload-size',
    t.unclear({ reason: doctorTexts.status({ status: outcome.status }) }),
    t.unclearAdvice,
  );
}

export async function checkRequestBuffering(address: PublicAddress): Promise<DoctorCheck> {
  const t = doctorTexts.buffering;
  const { outcome, responseDelayed } = await address.sendInChunks();
  if (outcome.kind === 'answered' && outcome.proved) {
    return responseDelayed
      ? warning('request-buffering', t.responseDelayed, t.heldUpAdvice)
      : ok('request-buffering', t.good);
  }
  const reason =
    outcome.kind === 'failed' ? reasonOf(outcome) : doctorTexts.status({ status: outcome.status });
  return warning('request-buffering', t.unclear({ reason }), doctorTexts.uploadSize.unclearAdvice);
}

export async function checkDownloads(address: PublicAddress): Promise<DoctorCheck> {
  const t = doctorTexts.downloads;
  const outcome = await address.download(rangeFirst, rangeLast);
  if (outcome.kind === 'failed') {
    return problem('downloads', t.failed({ reason: reasonOf(outcome) }), t.wrongAdvice);
  }
  const { status, headers, proved, body } = outcome;
  const whole = status === 206 && proved && headers['content-encoding'] === undefined;
  if (whole && body.equals(probeDownload(rangeFirst, rangeLast))) return ok('downloads', t.good);
  return problem('downloads', t.wrong({ status }), t.wrongAdvice);
}

/** Returns the result of a `reach` probe, which only a server with the same secret can give. */
function observedRequestIn(outcome: ProbeOutcome): ObservedRequest | null {
  if (outcome.kind === 'failed' || !outcome.proved) return null;
  return parseObservedRequest((JSON.parse(outcome.body.toString()) as { seen?: unknown }).seen);
}

/** The server at the public address may run a different version. */
function parseObservedRequest(seen: unknown): ObservedRequest | null {
  const { scheme, host, client, peer, forwarded } = recordOf(seen);
  const { address, port } = recordOf(peer);
  const headers = recordOf(forwarded);
  const sentAs = (name: 'for' | 'proto' | 'host') => {
    const value = headers[name];
    return typeof value === 'string' ? value : null;
  };
  if (typeof scheme !== 'string' || typeof host !== 'string' || typeof client !== 'string') return null;
  if (typeof address !== 'string' || typeof port !== 'number') return null;
  const forwardedTo = { for: sentAs('for'), proto: sentAs('proto'), host: sentAs('host') };
  return { scheme, host, client, peer: { address, port }, forwarded: forwardedTo };
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
