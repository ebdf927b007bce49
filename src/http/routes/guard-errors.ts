/** Errors of guards, besides `NotFound`, `Forbidden` and `TooManyRequests`. */
import { errorTexts } from '../../core/error-texts.ts';
import { AppError } from '../../core/errors.ts';
import type { RouteCaller } from './client.ts';

/** Redirects the browser to a page that must come first, such as sign-in. Programs get `unauthenticated` instead. */
export class SignInRequired extends AppError {
  override name = 'SignInRequired';
  /** Returns the path of the page to visit first, which continues to `returnTo`. */
  readonly locationFor: (returnTo: string) => string;

  constructor(locationFor: (returnTo: string) => string) {
    super('unauthenticated', errorTexts.unauthenticated);
    this.locationFor = locationFor;
  }
}

/**
 * The action requires a proof of identity within the last ten minutes. The browser gets a page that asks for one and resubmits
 * the form with it.
 */
export class ReauthenticationRequired extends AppError {
  override name = 'ReauthenticationRequired';
  readonly caller: RouteCaller;
  /** The declared fields of the form, which the page resubmits. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Whether the form contained a wrong proof. */
  readonly wrong: boolean;

  constructor(details: {
    caller: RouteCaller;
    fields: readonly (readonly [string, string])[];
    wrong: boolean;
  }) {
    super('reauthentication_required', errorTexts.confirmIdentity);
    this.caller = details.caller;
    this.fields = details.fields;
    this.wrong = details.wrong;
  }
}
