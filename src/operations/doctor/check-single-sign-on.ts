import { oidcPaths } from '../../accounts/profile/account-paths.ts';
import { type DoctorCheck, ok, problem, warning } from './doctor-check.ts';
import { firstCause, reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

export interface SignOnProvider {
  issuer: string;
  /** Rejects if the provider’s metadata is missing or invalid. */
  ask(): Promise<void>;
}

const t = doctorTexts.singleSignOn;

/** `publicUrl`: null if not set. */
export async function checkSingleSignOn(
  { issuer, ask }: SignOnProvider,
  publicUrl: string | null,
): Promise<DoctorCheck> {
  try {
    await ask();
  } catch (error) {
    return problem('single-sign-on', t.bad({ issuer, reason: reasonOf(firstCause(error)) }), t.badAdvice);
  }
  if (publicUrl === null) return warning('single-sign-on', t.unset({ issuer }), t.unsetAdvice);
  return ok('single-sign-on', t.good({ issuer, returnAddress: `${publicUrl}${oidcPaths.returns}` }));
}

export interface SamlProvider {
  /** Where the metadata of this server is. */
  metadata: string;
  /** Rejects if the provider’s metadata is missing or invalid. */
  ask(): Promise<{ entityId: string }>;
}

export async function checkSaml({ metadata, ask }: SamlProvider): Promise<DoctorCheck> {
  const words = doctorTexts.saml;
  try {
    const { entityId } = await ask();
    return ok('saml', words.good({ provider: entityId, metadata }));
  } catch (error) {
    return problem('saml', words.bad({ reason: reasonOf(firstCause(error)) }), words.badAdvice);
  }
}
