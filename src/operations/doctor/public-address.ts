/** What the doctor asks of this installation's own public address, as strangers reach it. `public-address-http.ts` asks. */

/** What came of one probe. `proved`: it comes from a server with this one's secret. `code`: Node's name of the failure. */
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

/** Every probe ends within a quarter of a minute and none rejects. */
export interface PublicAddress {
  origin: URL;
  /** Answers a `SeenRequest`; sends forged headers along. */
  reach(): Promise<ProbeOutcome>;
  /** Announces a body of that size and sends none. `body-wanted`: it was asked for, and no refusal followed. */
  announceUpload(sizeBytes: number): Promise<ProbeOutcome | { kind: 'body-wanted' }>;
  /** Sends a body piece by piece, and its rest when no answer comes: `heldUp` tells that it came after the rest alone. */
  sendInPieces(): Promise<{ outcome: ProbeOutcome; heldUp: boolean }>;
  /** Asks for a range of `probeDownload`, offering compression as browsers do. */
  download(first: number, last: number): Promise<ProbeOutcome>;
}

/** Forged on purpose: a proxy that passes them on lets every visitor choose them. The address is of RFC 5737. */
export const forged = { for: '192.0.2.77', host: 'forged.invalid', proto: 'http' } as const;
