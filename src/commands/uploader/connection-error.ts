/** Converts connection errors to user-facing messages. */
import { UploadError } from './upload-error.ts';

const certificateErrors: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate was issued by an authority that Node does not trust',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate was issued by an authority that Node does not trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate was issued by an authority that Node does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it does not send its intermediate certificates',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate was issued for another name',
};

const addressHint = 'Set --server or SLIPWAY_URL to the address of the Slipway server.';

/** `progress`: the amount sent, such as `3.0 MiB of 12.0 MiB`; null if nothing was sent. */
export function toConnectionError(error: unknown, url: URL, progress: string | null): UploadError {
  if (error instanceof UploadError) return error;
  const code = errorCode(error);
  const certificate = certificateErrors[code];
  if (certificate) {
    return new UploadError(`${url.origin} cannot be trusted: ${certificate}.`, {
      hint: 'For a private authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
      cause: error,
    });
  }
  return toReachabilityError(code, url, error) ?? brokenConnection(code, url, progress, error);
}

function toReachabilityError(code: string, url: URL, cause: unknown): UploadError | null {
  switch (code) {
    case 'ECONNREFUSED':
      return new UploadError(`Nothing is listening at ${url.origin}.`, {
        hint: `Check that the server is running. ${addressHint}`,
        isTransient: true,
        cause,
      });
    case 'ENOTFOUND':
      return new UploadError(`There is no host named ${url.hostname}.`, { hint: addressHint, cause });
    case 'EAI_AGAIN':
      return new UploadError(`The name ${url.hostname} could not be resolved.`, {
        hint: 'Check that this machine is connected to the network.',
        isTransient: true,
        cause,
      });
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return new UploadError(`${url.origin} cannot be reached (${code}).`, {
        hint: 'Check the firewall and the VPN.',
        isTransient: true,
        cause,
      });
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return new UploadError(`${url.origin} does not speak TLS.`, {
        hint: `Use http:// if the server has no certificate. ${addressHint}`,
        cause,
      });
    default:
      return null;
  }
}

function brokenConnection(code: string, url: URL, progress: string | null, cause: unknown): UploadError {
  if (code.startsWith('HPE_')) {
    return new UploadError(`The server at ${url.origin} does not speak HTTP (${code}).`, {
      hint: addressHint,
      cause,
    });
  }
  if (['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(code)) {
    return new UploadError(
      `The connection to ${url.origin} broke ${progress ? `after ${progress}` : 'at the start'}.`,
      {
        hint: 'A proxy in front of the server may cut off long uploads: check its limits on body size and time.',
        isTransient: true,
        cause,
      },
    );
  }
  const words = cause instanceof Error && cause.message ? cause.message : String(cause);
  return new UploadError(`The upload to ${url.origin} failed: ${words}`, { cause });
}

/** If all addresses of a name fail, the AggregateError has the code of the first. */
function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}
