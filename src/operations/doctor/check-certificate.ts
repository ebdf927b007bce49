/** Checks the certificate of the public address with a real handshake, including iOS’s requirements beyond trust. */
import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  connect,
  type DetailedPeerCertificate,
  rootCertificates,
  type TLSSocket,
} from 'node:tls';
import { formatDay } from '../../web/components/formats.ts';
import { type DoctorCheck, ok, problem, warning } from './doctor-check.ts';
import { reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

export interface SeenCertificate {
  /** Node’s error code if it is not trusted; null when it is. */
  fault: string | null;
  issuer: string;
  /** From the subjectAltName; empty when there is none. */
  names: string[];
  /** Epoch milliseconds. */
  validFrom: number;
  validTo: number;
  /** Null for other key types. */
  rsaBits: number | null;
  /** Whether it is trusted without the authorities that were added on this machine. */
  publiclyTrusted: boolean;
}

const handshakeTimeoutMs = 10_000;
const warnBeforeMs = 14 * 24 * 60 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** https://support.apple.com/HT210176; applies to certificates of every authority. */
const mostDaysOnIos = 825;
const fewestRsaBitsOnIos = 2048;

export async function checkCertificate(origin: URL, now: number): Promise<DoctorCheck> {
  try {
    return judgeCertificate(await lookAtCertificate(origin), origin.hostname, now);
  } catch (error) {
    const words = doctorTexts.certificate;
    return problem('certificate', words.noTls(reasonOf(error)), words.noTlsAdvice);
  }
}

/** Rejects when TLS is not available. */
async function lookAtCertificate(origin: URL): Promise<SeenCertificate> {
  const seen = await handshake(origin, {}, (socket) => {
    const certificate = socket.getPeerCertificate(true);
    return { certificate, fault: socket.authorized ? null : String(socket.authorizationError) };
  });
  const publiclyTrusted =
    seen.fault === null &&
    (await handshake(origin, { ca: [...rootCertificates] }, (socket) => socket.authorized));
  const { certificate, fault } = seen;
  return {
    fault,
    issuer: nameOf(certificate.issuer),
    names: (certificate.subjectaltname ?? '')
      .split(', ')
      .flatMap((name) => name.split(':').slice(1).join(':') || []),
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
    rsaBits: certificate.modulus ? (certificate.bits ?? null) : null,
    publiclyTrusted,
  };
}

function nameOf(subject: DetailedPeerCertificate['issuer'] | undefined): string {
  const name = subject?.CN ?? subject?.O ?? '';
  return [name].flat().join(', ') || '?';
}

function handshake<T>(origin: URL, options: ConnectionOptions, read: (socket: TLSSocket) => T): Promise<T> {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(origin.port || 443),
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
      ...options,
    });
    const deadline = setTimeout(
      () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
      handshakeTimeoutMs,
    );
    const end = () => {
      clearTimeout(deadline);
      socket.destroy();
    };
    socket.once('error', (error) => {
      end();
      reject(error);
    });
    socket.once('secureConnect', () => {
      const seen = read(socket);
      end();
      resolve(seen);
    });
  });
}

/** Reports problems before warnings. */
export function judgeCertificate(seen: SeenCertificate, host: string, now: number): DoctorCheck {
  const words = doctorTexts.certificate;
  const bad = (found: string, advice: string) => problem('certificate', found, advice);
  const lastDay = formatDay(seen.validTo);
  if (seen.fault !== null) {
    const { found, advice } = faultWords(seen, seen.fault, host);
    return bad(found, advice);
  }
  if (seen.names.length === 0) return bad(words.noNames, words.unfitAdvice);
  const validDays = Math.ceil((seen.validTo - seen.validFrom) / dayMs);
  if (validDays > mostDaysOnIos + 1) return bad(words.tooLong(validDays), words.unfitAdvice);
  if (seen.rsaBits !== null && seen.rsaBits < fewestRsaBitsOnIos) {
    return bad(words.weakKey(seen.rsaBits), words.unfitAdvice);
  }
  const leftMs = seen.validTo - now;
  if (leftMs < warnBeforeMs) {
    return warning('certificate', words.expiring(lastDay, Math.floor(leftMs / dayMs)), words.expiringAdvice);
  }
  if (!seen.publiclyTrusted) {
    return warning('certificate', words.privateAuthority(seen.issuer), words.privateAdvice);
  }
  return ok('certificate', words.good(lastDay, seen.issuer));
}

function faultWords(seen: SeenCertificate, code: string, host: string): { found: string; advice: string } {
  const { faults, advice } = doctorTexts.certificate;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return { found: faults.expired(formatDay(seen.validTo)), advice: advice.expired };
    case 'CERT_NOT_YET_VALID':
      return { found: faults.early(formatDay(seen.validFrom)), advice: advice.early };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { found: faults.selfSigned, advice: advice.selfSigned };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { found: faults.wrongHost(host, seen.names.join(', ') || '?'), advice: advice.wrongHost };
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return { found: faults.incomplete(seen.issuer), advice: advice.incomplete };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return { found: faults.unknownAuthority(seen.issuer), advice: advice.unknownAuthority };
    case 'CERT_REVOKED':
      return { found: faults.revoked, advice: advice.other };
    default:
      return { found: faults.other(code), advice: advice.other };
  }
}
