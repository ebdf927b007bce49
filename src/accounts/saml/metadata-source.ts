/**
 * Where the metadata of a provider comes from. What was read last from an address stays in use while the provider can't be reached,
 * on every node and after a restart, until the time that the metadata itself names (`validUntil`).
 */
import { readFile } from 'node:fs/promises';
import type { FetchBytes } from '../../core/outbound/fetch-bytes.ts';
import type { Data } from '../../db/data.ts';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import { type IdentityProvider, type KeptMetadata, readProviderMetadata } from './identity-provider.ts';
import { metadataQueries } from './metadata-queries.ts';
import type { SamlConfig } from './saml-config.ts';
import { maxXmlBytes, XmlRefused } from './xml-document.ts';

export interface MetadataSource {
  /** Throws `ProviderError`. */
  read(): Promise<IdentityProvider>;
}

export interface MetadataDeps {
  fetchBytes: FetchBytes;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

/** Certificates are replaced with days of overlap. */
export const metadataLifetimeMs = 60 * 60_000;
/** The shortest time between two attempts, whatever their outcome. */
const retryMs = 30_000;
const timeoutMs = 5_000;

/** Throws the error of the network, and `XmlRefused`. */
export async function fetchMetadata(
  { fetchBytes, now }: Pick<MetadataDeps, 'fetchBytes' | 'now'>,
  url: string,
): Promise<{ xml: string; provider: IdentityProvider }> {
  const bytes = await fetchBytes(url, {
    accept: 'application/samlmetadata+xml, application/xml',
    maxBytes: maxXmlBytes,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { xml: bytes.toString(), provider: readProviderMetadata(bytes, now()) };
}

const providerErrorOf = (error: unknown): ProviderError => {
  const reason = error instanceof Error ? error.message : 'unknown';
  const kind = error instanceof XmlRefused ? 'refused' : 'unreachable';
  return new ProviderError(kind, `metadata: ${reason}`, { cause: error });
};

const logFailure = ({ log }: Pick<MetadataDeps, 'log'>, failure: ProviderError, isKept: boolean) =>
  log.warn({ reason: failure.message, isKept }, 'metadata of the SAML provider can’t be read');

/** The metadata of the installation's provider. Without `data`, as for the doctor, nothing is kept. */
export function createMetadataSource(
  deps: MetadataDeps & { place: SamlConfig['metadata']; data: Data | null },
): MetadataSource {
  const { place, data, now } = deps;
  if (place.kind === 'url' && data) return createKeptMetadata({ ...deps, data, ...place, place: place.url });
  let known: IdentityProvider | null = null;
  let nextAt = 0;
  let failure: ProviderError | null = null;
  const refresh = async () => {
    try {
      known =
        place.kind === 'file'
          ? readProviderMetadata(await readFile(place.path), now())
          : (await fetchMetadata(deps, place.url)).provider;
      nextAt = now() + metadataLifetimeMs;
      failure = null;
    } catch (error) {
      nextAt = now() + retryMs;
      failure = providerErrorOf(error);
      logFailure(deps, failure, known !== null);
    }
  };
  const refreshOnce = shareRuns(refresh);
  return {
    read: async () => {
      if (now() >= nextAt) await refreshOnce();
      if (!known) throw failure ?? new ProviderError('unreachable', 'metadata: not read yet');
      return known;
    },
  };
}

export interface KeptMetadataDeps extends MetadataDeps {
  data: Data;
  /** The key of the stored copy. */
  place: string;
  /** Null for metadata that a person entered, which never changes by itself. */
  url: string | null;
  /** Identities are linked to this provider; another one at its address is refused. */
  entityId?: string;
}

/** Metadata with a copy in the database. */
export function createKeptMetadata(deps: KeptMetadataDeps): MetadataSource {
  const { data, place, url, entityId, now } = deps;
  const refresh = async (kept: KeptMetadata | null, address: string): Promise<IdentityProvider> => {
    try {
      const { xml, provider } = await fetchMetadata(deps, address);
      if (entityId !== undefined && provider.entityId !== entityId)
        throw new XmlRefused('the metadata at the address is now that of another provider');
      await data.writeIfPossible(() => metadataQueries(data).keep(place, xml, now()));
      return provider;
    } catch (error) {
      const failure = providerErrorOf(error);
      await data.writeIfPossible(() => metadataQueries(data).recordFailure(place, failure.message, now()));
      logFailure(deps, failure, kept?.xml != null);
      if (kept?.xml == null) throw failure;
      return readKept(kept.xml);
    }
  };
  const readKept = (xml: string) => {
    try {
      return readProviderMetadata(Buffer.from(xml), now());
    } catch (error) {
      throw providerErrorOf(error);
    }
  };
  const read = shareRuns(async () => {
    const kept = await metadataQueries(data).find(place);
    const waitMs = kept?.problem === null ? metadataLifetimeMs : retryMs;
    if (url !== null && (!kept || now() >= kept.triedAt + waitMs)) return refresh(kept, url);
    if (kept?.xml == null) throw new ProviderError('unreachable', kept?.problem ?? 'metadata: not read yet');
    return readKept(kept.xml);
  });
  return { read };
}

/** Calls that overlap share one run. */
function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | null = null;
  return () => {
    inFlight ??= run().finally(() => {
      inFlight = null;
    });
    return inFlight;
  };
}
