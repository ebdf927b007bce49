/** Checks the certificate of the public address with a real handshake, including iOS’s requirements in addition to trust. */
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

export interface PeerCertificate {
  /** Node’s error code if it is not trusted; null if it is. */
  problem: string | null;
  issuer: string;
  /** From the subjectAltName; empty if there is none. */
  names: string[];
  /** Epoch milliseconds. */
  validFrom: number;
  validTo: number;
  /** Null for other key types. */
  rsaBits: number | null;
  /** Whether it is also trusted without the authorities that were added on this machine. */
  publiclyTrusted: boolean;
}

const handshakeTimeoutMs = 10_000;
const warnBeforeMs = 14 * 24 * 60 * 60_000;
const dayMs = 24 * 60 * 60_000;
/** https://support.apple.com/HT210176; applies to certificates from all authorities. */
const maxDaysOnIos = 825;
const fewestRsaBitsOnIos = 2048;

export async function checkCertificate(origin: URL, now: number): Promise<DoctorCheck> {
  try {
    return evaluateCertificate(await fetchPeerCertificate(origin), origin.hostname, now);
  } catch (error) {
    const t = doctorTexts.certificate;
    return problem('certificate', t.noTls({ reason: reasonOf(error) }), t.noTlsAdvice);
  }
}

/** Rejects if TLS is not available. */
async function fetchPeerCertificate(origin: URL): Promise<PeerCertificate> {
  const seen = await handshake(origin, {}, (socket) => {
    const certificate = socket.getPeerCertificate(true);
    return { certificate, problem: socket.authorized ? null : String(socket.authorizationError) };
  });
  const publiclyTrusted =
    seen.problem === null &&
    (await handshake(origin, { ca: [...rootCertificates] }, (socket) => socket.authorized));
  const { certificate, problem } = seen;
  return {
    problem,
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
export function evaluateCertificate(seen: PeerCertificate, host: string, now: number): DoctorCheck {
  const t = doctorTexts.certificate;
  const bad = (found: string, advice: string) => problem('certificate', found, advice);
  const lastDay = formatDay(seen.validTo);
  if (seen.problem !== null) {
    const { found, advice } = damageTexts(seen, seen.problem, host);
    return bad(found, advice);
  }
  if (seen.names.length === 0) return bad(t.noNames, t.unfitAdvice);
  const validDays = Math.ceil((seen.validTo - seen.validFrom) / dayMs);
  if (validDays > maxDaysOnIos + 1) return bad(t.tooLong({ days: validDays }), t.unfitAdvice);
  if (seen.rsaBits !== null && seen.rsaBits < fewestRsaBitsOnIos) {
    return bad(t.weakKey({ bits: seen.rsaBits }), t.unfitAdvice);
  }
  const leftMs = seen.validTo - now;
  if (leftMs < warnBeforeMs) {
    return warning(
      'certificate',
      t.expiring({ day: lastDay, days: Math.floor(leftMs / dayMs) }),
      t.expiringAdvice,
    );
  }
  if (!seen.publiclyTrusted) {
    return warning('certificate', t.privateAuthority({ issuer: seen.issuer }), t.privateAdvice);
  }
  return ok('certificate', t.good({ day: lastDay, issuer: seen.issuer }));
}

function damageTexts(seen: PeerCertificate, code: string, host: string): { found: string; advice: string } {
  const { errors, advice } = doctorTexts.certificate;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return { found: errors.expired({ day: formatDay(seen.validTo) }), advice: advice.expired };
    case 'CERT_NOT_YET_VALID':
      return { found: errors.early({ day: formatDay(seen.validFrom) }), advice: advice.early };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { found: errors.selfSigned, advice: advice.selfSigned };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        found: errors.wrongHost({ host, names: seen.names.join(', ') || '?' }),
        advice: advice.wrongHost,
      };
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return { found: errors.incomplete({ issuer: seen.issuer }), advice: advice.incomplete };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return { found: errors.unknownAuthority({ issuer: seen.issuer }), advice: advice.unknownAuthority };
    case 'CERT_REVOKED':
      return { found: errors.revoked, advice: advice.other };
    default:
      return { found: errors.other({ code }), advice: advice.other };
  }
}
