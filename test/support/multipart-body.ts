/** Builds multipart bodies as bytes, correct by default; each option makes one thing wrong or unusual. */

export interface FormField {
  name: string;
  value: string | Buffer;
  contentType?: string;
}

export interface FormFile {
  name: string;
  content: Buffer;
  /** Null omits the file name, as some uploaders do. */
  fileName?: string | null;
  contentType?: string | null;
}

export type FormPart = FormField | FormFile | RawPart;

/** A part given as raw bytes between two delimiters. */
export interface RawPart {
  raw: string | Buffer;
}

export interface MultipartOptions {
  boundary?: string;
  /** A Content-Type that differs from the body. */
  contentType?: string;
  preamble?: string;
  epilogue?: string;
  closed?: boolean;
  lineBreak?: string;
  /** Between each delimiter and the end of its line. */
  padding?: string;
}

export interface MultipartBody {
  contentType: string;
  body: Buffer;
}

export function multipart(parts: readonly FormPart[], options: MultipartOptions = {}): MultipartBody {
  const boundary = options.boundary ?? 'slipway-test-boundary';
  const line = options.lineBreak ?? '\r\n';
  const padding = options.padding ?? '';
  const chunks: (string | Buffer)[] = [options.preamble ?? ''];
  for (const part of parts) {
    chunks.push(`--${boundary}${padding}${line}`);
    if ('raw' in part) chunks.push(part.raw, line);
    else chunks.push(headOf(part, line), line, 'content' in part ? part.content : part.value, line);
  }
  if (options.closed ?? true) chunks.push(`--${boundary}--${padding}${line}${options.epilogue ?? ''}`);
  return {
    contentType: options.contentType ?? `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk))),
  };
}

function headOf(part: FormField | FormFile, line: string): string {
  const isFile = 'content' in part;
  const fileName = isFile && part.fileName !== null ? `; filename="${part.fileName ?? 'app.bin'}"` : '';
  const contentType =
    isFile && part.contentType === undefined ? 'application/octet-stream' : part.contentType;
  const type = contentType ? `Content-Type: ${contentType}${line}` : '';
  return `Content-Disposition: form-data; name="${part.name}"${fileName}${line}${type}`;
}
