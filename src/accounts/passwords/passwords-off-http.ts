/** When passwords are off, every request to use or set one is refused before its body is read. */
import { Forbidden } from '../../core/errors.ts';
import type { RouteCaller } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route.ts';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';

/** The same rule where people sign in with passwords; elsewhere the refusal is the same for every caller. */
export function wherePasswordsAre<Params, Caller extends RouteCaller, Subject>(
  passwords: boolean,
  access: Access<Params, Caller, Subject>,
): Access<Params, Caller, Subject> {
  if (passwords) return access;
  return {
    ...access,
    identify: async () => {
      throw new Forbidden(singleSignOnTexts.passwordsOff);
    },
  };
}
