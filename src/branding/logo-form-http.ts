/** Receives the form that uploads a logo. */
import { type FileForm, receiveFileForm } from '../blobs/file-form-http.ts';
import type { Spool, SpooledFile } from '../blobs/spool/spool.ts';
import { invalid } from '../core/errors.ts';
import type { Answer } from '../http/routes/answer.ts';
import { logoRefusals, maxLogoFileBytes } from '../packages/logo-limits.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { brandingTexts } from './branding-texts.ts';

export interface LogoFormDeps {
  spool: Spool;
  packages: Pick<PackageReader, 'drawLogo'>;
}

/** The fields of the form, for the OpenAPI document. */
export const logoFormSchema = {
  type: 'object',
  required: ['csrf', 'logo'],
  properties: { csrf: { type: 'string' }, logo: { type: 'string', format: 'binary' } },
};

const t = brandingTexts.logoErrors;

/** The request for a page, after its form token was accepted, so that the page may show errors. */
export interface LogoForm extends Pick<FileForm<never>, 'client' | 'body' | 'renderError'> {
  /** The User who uploads it. */
  userId: string;
  save(png: Uint8Array): Promise<Answer>;
}

export function receiveLogo(deps: LogoFormDeps, { save, userId, ...form }: LogoForm): Promise<Answer> {
  return receiveFileForm(deps, {
    ...form,
    fileField: 'logo',
    maxFileBytes: maxLogoFileBytes,
    fields: [],
    errors: t,
    save: async (file) => save(await drawLogo(deps, file, userId)),
  });
}

async function drawLogo({ packages }: LogoFormDeps, file: SpooledFile, userId: string): Promise<Uint8Array> {
  try {
    return await packages.drawLogo(file.path, userId);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    throw invalid(logoRefusalText(error));
  }
}

/** Messages that are not refusals by the decoder state which limit of the process was exceeded. */
export const logoRefusalText = ({ message }: UnreadablePackage): string =>
  t[logoRefusals.find((known) => known === message) ?? 'limits'];
