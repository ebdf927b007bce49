/**
 * The doctor’s probes of this installation’s public address, as clients reach it. `public-address-http.ts` sends
 * them.
 */

/** The result of one probe. `proved`: from a server with this one’s secret. `code`: Node’s error code. */
export type ProbeOutcome =
  | {
      kind: 'answered';
      status: number;
      /** Names in lower case. */
      headers: Readonly<Record<string, string | string[] | undefined>>;
      proved: boolean;
      body: Buffer;
      localPort: number;
    }
  | { kind: 'failed'; code: string; message: string };

/** Every probe ends within 15 seconds and none rejects. */
export interface PublicAddress {
  origin: URL;
  /** Sends forged headers. */
  reach(): Promise<ProbeOutcome>;
  /**
   * Announces a body of this size without sending it. `body-wanted`: the server asked for it and did not refuse
   * afterwards.
   */
  announceUpload(sizeBytes: number): Promise<ProbeOutcome | { kind: 'body-wanted' }>;
  /**
   * Sends a body piece by piece, and the rest when no response arrives; `responseDelayed`: the response arrived only after the
   * rest.
   */
  sendInChunks(): Promise<{ outcome: ProbeOutcome; responseDelayed: boolean }>;
  /** Requests a range of `probeDownload`, offering compression as browsers do. */
  download(first: number, last: number): Promise<ProbeOutcome>;
}

/** Deliberately forged: visitors can choose these behind a proxy that passes them on. The address is from RFC 5737. */
export const forged = { for: '192.0.2.77', host: 'forged.invalid', proto: 'http' } as const;
