import type { LdapConfig } from '../../accounts/ldap/ldap-config.ts';
import { createLdapDirectory } from '../../accounts/ldap/ldap-directory.ts';
import { type DoctorCheck, ok, problem, warning } from './doctor-check.ts';
import { firstCause, reasonOf } from './doctor-reason.ts';
import { doctorTexts } from './doctor-texts.ts';

const t = doctorTexts.ldap;
/** NoSuchObject and invalidCredentials (RFC 4511, section 4.1.9). */
const [noSuchObject, invalidCredentials] = [32, 49];

/** Connects with TLS, binds with the account of Slipway, and reads all people. */
export async function checkLdap(config: LdapConfig): Promise<DoctorCheck> {
  const { host, port, tls, baseDn } = config;
  const directory = `${tls === 'ldaps' ? 'ldaps' : 'ldap'}://${host}:${port}`;
  try {
    const people = await createLdapDirectory(config, { warn: () => undefined }).countPeople();
    if (people === 0) return warning('ldap', t.nobody({ directory, baseDn }), t.nobodyAdvice);
    return ok('ldap', t.good({ directory, baseDn, people }));
  } catch (error) {
    const { code } = firstCause(error) as { code?: unknown };
    // The network’s errors have texts in the language of the reader; those of the library do not.
    const reason = reasonOf(typeof code === 'string' ? firstCause(error) : error);
    return problem('ldap', t.bad({ directory, reason }), adviceFor(code, baseDn));
  }
}

function adviceFor(code: unknown, baseDn: string): string {
  if (code === noSuchObject) return t.baseAdvice({ baseDn });
  return code === invalidCredentials ? t.bindAdvice : t.badAdvice;
}
