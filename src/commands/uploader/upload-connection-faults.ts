/** What can go wrong on the way to a server, said in words. */
import { UploadFault } from './upload-fault.ts';

const certificateFaults: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that Node does not know',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority that Node does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that Node does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it does not send the certificates between its own and its authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate was issued for another name',
};

const addressHint = '--url or SLIPWAY_URL gives the address of the Slipway server.';

/** `progress` is how far the upload had come, such as `3.0 MiB of 12.0 MiB`, or null when nothing was sent yet. */
export function connectionFault(error: unknown, url: URL, progress: string | null): UploadFault {
  if (error instanceof UploadFault) return error;
  const code = errorCode(error);
  const certificate = certificateFaults[code];
  if (certificate) {
    return new UploadFault(`${url.origin} cannot be trusted: ${certificate}.`, {
      hint: 'For an authority of your own, name its certificate file in NODE_EXTRA_CA_CERTS.',
      cause: error,
    });
  }
  return reachFault(code, url, error) ?? brokenConnection(code, url, progress, error);
}

function reachFault(code: string, url: URL, cause: unknown): UploadFault | null {
  switch (code) {
    case 'ECONNREFUSED':
      return new UploadFault(`Nothing answers at ${url.origin}.`, {
        hint: `Is the server running? ${addressHint}`,
        mayPass: true,
        cause,
      });
    case 'ENOTFOUND':
      return new UploadFault(`There is no host named ${url.hostname}.`, { hint: addressHint, cause });
    case 'EAI_AGAIN':
      return new UploadFault(`The name ${url.hostname} could not be looked up just now.`, {
        hint: 'Is this machine on the network?',
        mayPass: true,
        cause,
      });
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return new UploadFault(`${url.origin} cannot be reached (${code}).`, {
        hint: 'A firewall or a missing VPN often looks like this.',
        mayPass: true,
        cause,
      });
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return new UploadFault(`${url.origin} does not speak TLS.`, {
        hint: `Is it http:// and not https://? ${addressHint}`,
        cause,
      });
    default:
      return null;
  }
}

function brokenConnection(code: string, url: URL, progress: string | null, cause: unknown): UploadFault {
  if (code.startsWith('HPE_')) {
    return new UploadFault(`What answers at ${url.origin} does not speak HTTP (${code}).`, {
      hint: addressHint,
      cause,
    });
  }
  if (['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(code)) {
    return new UploadFault(
      `The connection to ${url.origin} broke ${progress ? `after ${progress}` : 'at the start'}.`,
      {
        hint: 'A proxy in front of the server may cut long uploads: see its limits on body size and time.',
        mayPass: true,
        cause,
      },
    );
  }
  const words = cause instanceof Error && cause.message ? cause.message : String(cause);
  return new UploadFault(`The upload to ${url.origin} failed: ${words}`, { cause });
}

/** Several addresses of one name that all failed come as one AggregateError, whose own code is the first one's. */
function errorCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}
