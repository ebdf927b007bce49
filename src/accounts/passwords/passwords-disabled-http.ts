/** When passwords are off, every request to use or set one is refused before its body is read. */
import { Forbidden } from '../../core/errors.ts';
import type { RouteCaller } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';

/** Applies `access` if passwords are on; otherwise refuses every caller in the same way. */
export function ifPasswordsEnabled<Params, Caller extends RouteCaller, Subject>(
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
