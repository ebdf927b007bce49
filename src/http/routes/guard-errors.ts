/** What guards throw besides `NotFound`, `Forbidden` and `TooManyRequests`; the error handler of the server answers it. */
import { AppError } from '../../errors.ts';
import type { RouteCaller } from './client.ts';

/** Nobody is signed in: a browser is redirected to where that can be done, a program receives 401. */
export class SignInRequired extends AppError {
  override name = 'SignInRequired';
  /** Path of the page to visit first; it leads to `returnTo` afterwards. */
  readonly locationFor: (returnTo: string) => string;

  constructor(locationFor: (returnTo: string) => string) {
    super('unauthenticated', 'you are not authenticated');
    this.locationFor = locationFor;
  }
}

/**
 * The action requires a proof of identity within the last ten minutes. A browser receives a page that asks for one and
 * sends the same form again with it.
 */
export class ReauthenticationRequired extends AppError {
  override name = 'ReauthenticationRequired';
  readonly caller: RouteCaller;
  /** The fields that the route declares: what the page sends again. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** A proof came with the form and was wrong. */
  readonly wrong: boolean;

  constructor(details: {
    caller: RouteCaller;
    fields: readonly (readonly [string, string])[];
    wrong: boolean;
  }) {
    super('reauthentication_required', 'confirm your identity to continue');
    this.caller = details.caller;
    this.fields = details.fields;
    this.wrong = details.wrong;
  }
}
