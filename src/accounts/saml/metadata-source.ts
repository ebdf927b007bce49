/** Where the metadata of a provider comes from. What was read last stays in use while the provider can't be reached. */
import { readFile } from 'node:fs/promises';
import type { FetchBytes } from '../../core/outbound/fetch-bytes.ts';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import { type IdentityProvider, readProviderMetadata } from './identity-provider.ts';
import type { SamlConfig } from './saml-config.ts';
import { maxXmlBytes, XmlRefused } from './xml-document.ts';

export interface MetadataSource {
  /** Throws `ProviderError`. */
  read(): Promise<IdentityProvider>;
}

/** Certificates are replaced with days of overlap. */
export const metadataLifetimeMs = 60 * 60_000;
/** The shortest time between two attempts, whatever their outcome. */
const retryMs = 30_000;
const timeoutMs = 10_000;

export function createMetadataSource(deps: {
  place: SamlConfig['metadata'];
  fetchBytes: FetchBytes;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}): MetadataSource {
  const { place, fetchBytes, now, log } = deps;
  let known: IdentityProvider | null = null;
  let nextAt = 0;
  let failure: ProviderError | null = null;
  let inFlight: Promise<void> | null = null;

  const refresh = async () => {
    try {
      const bytes =
        place.kind === 'file'
          ? await readFile(place.path)
          : await fetchBytes(place.url, {
              accept: 'application/samlmetadata+xml, application/xml',
              maxBytes: maxXmlBytes,
              signal: AbortSignal.timeout(timeoutMs),
            });
      known = readProviderMetadata(bytes, now());
      nextAt = now() + metadataLifetimeMs;
      failure = null;
    } catch (error) {
      nextAt = now() + retryMs;
      const reason = error instanceof Error ? error.message : 'unknown';
      failure = new ProviderError(
        error instanceof XmlRefused ? 'refused' : 'unreachable',
        `metadata: ${reason}`,
        {
          cause: error,
        },
      );
      log.warn(
        { reason: failure.message, isKept: known !== null },
        'metadata of the SAML provider can’t be read',
      );
    }
  };

  return {
    read: async () => {
      if (now() >= nextAt) {
        inFlight ??= refresh().finally(() => {
          inFlight = null;
        });
        await inFlight;
      }
      if (!known) throw failure ?? new ProviderError('unreachable', 'metadata: not read yet');
      return known;
    },
  };
}
