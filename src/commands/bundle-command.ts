/** `slipway bundle`: converts an Android App Bundle to a universal APK, without a server. */

import { createPrivateKey } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '../core/errors.ts';
import { readKeystore, UnusableKeystore } from '../packages/apk/signing/keystore.ts';
import {
  commonName,
  createSigningKey,
  type SigningKey,
  signingKeyOf,
} from '../packages/apk/signing/signing-key.ts';
import { certificateSha256 } from '../packages/certificate/certificate.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import { convertBundle } from '../packages/read-package.ts';
import { type CommandIo, print } from './command-io.ts';
import { settingsFolder } from './remote/credentials-file.ts';
import { draw, writeLines } from './terminal-text.ts';

export interface BundleOptions {
  out: string;
  keystore?: string;
  keyAlias?: string;
  json?: boolean;
}

/** Replaces the output atomically: if the bundle cannot be converted, a previous output stays as it is. */
export async function runBundle(io: CommandIo, bundle: string, options: BundleOptions): Promise<void> {
  const out = resolve(options.out);
  if (out === resolve(bundle)) throw new AppError('invalid', 'the APK cannot replace the bundle');
  const key = options.keystore
    ? await readKeyOf(io, options.keystore, options.keyAlias)
    : await debugKey(join(settingsFolder(io), 'debug-key.pem'));
  const draft = join(dirname(out), `.${io.host.pid}.slipway-bundle`);
  try {
    const { info, sizeBytes, sha256 } = await convertBundle(bundle, draft, {
      keys: [key],
      onProgress: progressOn(io),
    });
    await rename(draft, out);
    const facts = {
      apk: out,
      bytes: sizeBytes,
      sha256,
      packageName: info.packageName,
      versionName: info.versionName,
      versionCode: info.versionCode,
      certificateSha256: certificateSha256(key.certificate),
      warnings: info.warnings,
    };
    for (const warning of options.json ? [] : info.warnings) writeLines(io.stderr, warning);
    const keyText = options.keystore ? '' : ' with the debug key of this computer';
    const version = `${info.packageName} ${info.versionName} (${info.versionCode})`;
    print(io, options.json ?? false, facts, `${options.out}: ${version}, signed${keyText}`);
  } catch (error) {
    throw error instanceof UnreadablePackage ? new AppError('invalid', `${bundle}: ${error.message}`) : error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readKeyOf(io: CommandIo, path: string, alias: string | undefined): Promise<SigningKey> {
  const { SLIPWAY_KEYSTORE_PASSWORD: password, SLIPWAY_KEY_PASSWORD: keyPassword } = io.environment;
  if (password === undefined)
    throw new AppError('invalid', 'set SLIPWAY_KEYSTORE_PASSWORD to the password of the keystore');
  try {
    return readKeystore(await readFile(path), {
      password,
      ...(keyPassword === undefined ? {} : { keyPassword }),
      ...(alias === undefined ? {} : { alias }),
    });
  } catch (error) {
    throw error instanceof UnusableKeystore ? new AppError('invalid', `${path}: ${error.message}`) : error;
  }
}

/** Returns the same key each time, so that an APK can be installed over the previous one. */
async function debugKey(path: string): Promise<SigningKey> {
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null) {
    const certificate = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(known)?.[1];
    if (!certificate) throw new AppError('invalid', `${path} is damaged: delete it`);
    return signingKeyOf(createPrivateKey(known), Buffer.from(certificate, 'base64'));
  }
  const key = createSigningKey('rsa-2048', { name: [[commonName, 'Slipway Debug']] });
  const certificate = key.certificate.toString('base64').replace(/.{1,64}/g, '$&\n');
  const text = `${key.privateKey.export({ format: 'pem', type: 'pkcs8' })}-----BEGIN CERTIFICATE-----\n${certificate}-----END CERTIFICATE-----\n`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return key;
}

function progressOn({ stderr }: CommandIo): (part: number) => void {
  let shown = -1;
  return (part) => {
    const percent = Math.floor(part * 100);
    if (stderr.isTTY !== true || percent === shown) return;
    shown = percent;
    draw(stderr, `\r${percent} %${percent === 100 ? '\r\u001b[K' : ''}`);
  };
}
