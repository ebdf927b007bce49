/** The unverified signature of an app's main executable; verify-code-signature.ts verifies it. */
import { certificateFacts } from '../certificate/certificate.ts';
import { say } from '../messages/package-messages.ts';
import type { CertificateFacts } from '../package-info.ts';
import type { AppBundle } from './app-bundle.ts';
import { readCodeSignature, signingCertificates } from './signature/code-signature.ts';
import { type ExecutableSlice, MalformedExecutable, readExecutable } from './signature/executable.ts';

export interface BundleSigning {
  /** The leaf comes first; empty if unsigned or signed ad hoc. */
  certificates: CertificateFacts[];
  encrypted: boolean;
  /** Null if the executable is absent or unreadable. */
  has64BitCode: boolean | null;
  /** Why there are no certificates, as a full sentence; null if there are any. */
  problem: string | null;
}

/**
 * `executableName`: CFBundleExecutable. A missing, malformed or unsigned executable is reported in `problem`; one that exceeds
 * the limits rejects with `UnreadablePackage`.
 */
export async function readBundleSigning(
  bundle: AppBundle,
  executableName: string | null,
): Promise<BundleSigning> {
  const entry = executableName === null ? null : bundle.files.find(executableName);
  if (!entry) return unsigned(say('executable-missing'));
  try {
    const slices = await readExecutable(bundle.archive, entry);
    if (slices === null || slices.length === 0) {
      return unsigned(say('executable-not-mach-o'));
    }
    return signingOf(slices);
  } catch (error) {
    if (!(error instanceof MalformedExecutable)) throw error;
    return unsigned(say('executable-malformed', { reason: error.message }));
  }
}

function unsigned(problem: string): BundleSigning {
  return { certificates: [], encrypted: false, has64BitCode: null, problem };
}

function signingOf(slices: ExecutableSlice[]): BundleSigning {
  const facts = {
    encrypted: slices.some(({ encrypted }) => encrypted),
    has64BitCode: slices.some(({ is64Bit }) => is64Bit),
  };
  const signature = preferredSlice(slices)?.signature;
  if (!signature) {
    const problem = say('executable-not-signed');
    return { ...facts, certificates: [], problem };
  }
  try {
    const certificates = signingCertificates(readCodeSignature(signature));
    const problem = certificates.length === 0 ? say('executable-signed-ad-hoc') : null;
    return { ...facts, certificates: certificates.map(({ encoded }) => certificateFacts(encoded)), problem };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ...facts,
      certificates: [],
      problem: say('executable-signature-unreadable', { reason }),
    };
  }
}

/** Returns the slice that a current device would run: signed, and 64-bit if available. */
function preferredSlice(slices: ExecutableSlice[]): ExecutableSlice | undefined {
  const signed = slices.filter(({ signature }) => signature !== null);
  return signed.findLast(({ is64Bit }) => is64Bit) ?? signed.at(-1);
}
