/** There is no such document, or it is too large. The message is a word for the log. */
export class FetchFailed extends Error {
  override name = 'FetchFailed';
}

/** Requests a document from an address that a person entered. Rejects with `FetchFailed`, or with the error of the network. */
export type FetchBytes = (
  address: string,
  request: { accept: string; maxBytes: number; signal: AbortSignal },
) => Promise<Buffer>;
