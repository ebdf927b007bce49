/** Receives the form with a logo. Its first part must be the form token; before it, nothing is accepted. */
import type { Readable } from 'node:stream';
import type { Spool, SpooledFile } from '../blobs/spool/spool.ts';
import { SpoolLimitExceeded } from '../blobs/spool/spool-errors.ts';
import { errorTexts } from '../core/error-texts.ts';
import { AppError, Forbidden, invalid } from '../core/errors.ts';
import { errorRenderingOf } from '../http/error-body.ts';
import { readMultipart } from '../http/multipart.ts';
import { type Answer, html } from '../http/routes/answer.ts';
import type { Client, StreamedBody } from '../http/routes/client.ts';
import { logoRefusals, maxLogoFileBytes } from '../packages/logo-limits.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { brandingTexts } from './branding-texts.ts';

export interface LogoFormDeps {
  spool: Spool;
  packages: Pick<PackageReader, 'drawLogo'>;
}

/** The parts of the form, for the OpenAPI document. */
export const logoFormSchema = {
  type: 'object',
  required: ['csrf', 'logo'],
  properties: { csrf: { type: 'string' }, logo: { type: 'string', format: 'binary' } },
};

const t = brandingTexts.logoErrors;
const formOverheadBytes = 64 * 1024;
const maxFieldBytes = 8 * 1024;
const maxParts = 4;

/** The request for a page after the form token was accepted, which may show errors on it. */
export interface LogoForm {
  client: Client;
  body: StreamedBody;
  save(png: Uint8Array): Promise<Answer>;
  /** The page of the form with the error. */
  renderError(sentence: string): Promise<string>;
}

/** Rejects with `forbidden` for a wrong token, and with `invalid` or `too_large` where the client is no browser. */
export async function receiveLogo(deps: LogoFormDeps, form: LogoForm): Promise<Answer> {
  const { body, client } = form;
  let isProven = false;
  let file: SpooledFile | null = null;
  let isReceiving = false;
  const expectProof = () => {
    if (!isProven) throw new Forbidden(errorTexts.formExpired);
  };
  const receive = async (name: string, stream: Readable) => {
    expectProof();
    // Parts are received at the same time.
    if (name !== 'logo' || isReceiving) throw invalid(t.several);
    isReceiving = true;
    file = await deps.spool.receive(stream, { maxBytes: maxLogoFileBytes }).catch((error: unknown) => {
      throw error instanceof SpoolLimitExceeded ? invalid(t.bytes) : error;
    });
  };
  try {
    body.accept();
    await readMultipart(
      body.message,
      { maxBodyBytes: maxLogoFileBytes + formOverheadBytes, maxFieldBytes, maxParts },
      {
        isFile: (name, _type, fileName) => name === 'logo' || fileName !== undefined,
        field: (name, value) => {
          if (name !== 'csrf' || isProven) return expectProof();
          body.checkFormToken(value);
          isProven = true;
        },
        file: (name, _fileName, stream) => receive(name, stream),
      },
    );
    expectProof();
    return await form.save(await drawLogo(deps, file));
  } catch (error) {
    if (!(error instanceof AppError) || !isProven || !client.wantsPage) throw error;
    if (error.kind !== 'invalid' && error.kind !== 'too_large') throw error;
    const sentence = error.kind === 'too_large' ? t.bytes : error.message;
    return html(await form.renderError(sentence), { status: errorRenderingOf(error.kind).status });
  } finally {
    await (file as SpooledFile | null)?.dispose();
  }
}

async function drawLogo({ packages }: LogoFormDeps, file: SpooledFile | null): Promise<Uint8Array> {
  // Browsers send an empty file when none is chosen.
  if (!file || file.sizeBytes === 0) throw invalid(t.missing);
  try {
    return await packages.drawLogo(file.path);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    throw invalid(logoRefusalText(error));
  }
}

/** Other messages than refusals of the decoder say which limit of the process was exceeded. */
export const logoRefusalText = ({ message }: UnreadablePackage): string =>
  t[logoRefusals.find((known) => known === message) ?? 'limits'];
