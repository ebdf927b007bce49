/** What Android's developer verification means for testers of a build that is not registered with Google. */
import type { Build } from '../../apps/app.ts';
import { perLanguage } from '../../core/language/current-language.ts';
import type { Visitor } from '../../core/visitor.ts';
import type { Data } from '../../db/data.ts';
import { keyRegistrationQueries } from '../../owners/signing-keys/key-registration-queries.ts';
import { formatList } from '../../web/components/formats.ts';
import { testerTexts } from './tester-texts.ts';

/**
 * Where certified devices require registered apps, and since when (https://developer.android.com/developer-verification).
 * `checked`: the month in which this was compared with Google's page; `test/packages/platform-tables.test.ts` fails when it is too
 * long ago.
 */
export const verificationRule = {
  countries: ['BR', 'ID', 'SG', 'TH'],
  since: '2026-09-30',
  elsewhere: 2027,
  checked: '2026-11',
} as const;

/**
 * Whether the visitor's device may refuse the build because the key is not registered: only on Android, and only for an APK that
 * Slipway signed.
 */
export async function isUnregistered(
  data: Data,
  { system }: Pick<Visitor, 'system'>,
  { appId, apk, info }: Pick<Build, 'appId' | 'apk' | 'info'>,
): Promise<boolean> {
  const [certificate] = info.signing.certificates;
  if (system !== 'android' || apk?.state !== 'ready' || !certificate) return false;
  return !(await keyRegistrationQueries(data).isRegistered(appId, certificate.sha256));
}

const regions = perLanguage((locale) => new Intl.DisplayNames(locale, { type: 'region' }));
/** The date of the rule is the same in every time zone. */
const days = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }));

/** `BR`, `ID` … as a list of names. */
export const countryNames = (codes: readonly string[]): string =>
  formatList(codes.map((code) => regions().of(code) ?? code));

/** Full sentences: where the rule applies, followed by what the tester can do. */
export function verificationSteps({ osVersion }: Pick<Visitor, 'osVersion'>): string[] {
  const t = testerTexts.verification;
  const where = t.where({
    countries: countryNames(verificationRule.countries),
    day: days().format(Date.parse(verificationRule.since)),
    year: String(verificationRule.elsewhere),
  });
  return [
    where,
    osVersion === null ? t.versions : t.versionsOf({ version: osVersion }),
    t.ask,
    t.advancedFlow,
    t.adb,
  ];
}
