/** The doctor’s probes of this installation’s public address, from the perspective of clients. `public-address-http.ts` sends them. */

/** The result of a probe. `proved`: from a server with the same secret. `code`: Node’s error code. */
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

/** Every probe ends within 15 seconds, and none rejects. */
export interface PublicAddress {
  origin: URL;
  /** Sends forged headers. */
  reach(): Promise<ProbeOutcome>;
  /** Announces a body of this size without sending it. `body-wanted`: the server requested it and did not refuse it afterwards. */
  announceUpload(sizeBytes: number): Promise<ProbeOutcome | { kind: 'body-wanted' }>;
  /** Sends a body in chunks, and the rest if no response arrives. `responseDelayed`: the response only arrived after the rest. */
  sendInChunks(): Promise<{ outcome: ProbeOutcome; responseDelayed: boolean }>;
  /** Requests a range of `probeDownload`, offering compression as browsers do. */
  download(first: number, last: number): Promise<ProbeOutcome>;
}

/** Forged values, like those that visitors could send through a proxy that passes them on. The address is from RFC 5737. */
export const forged = { for: '192.0.2.77', host: 'forged.invalid', proto: 'http' } as const;
