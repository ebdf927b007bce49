export type TokenRefusal =
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'token_too_large'
  | 'malformed_token'
  | 'unsupported_algorithm'
  | 'invalid_token'
  | 'issuer_unavailable'
  | 'invalid_claims'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'token_lives_too_long'
  | 'token_used'
  | 'no_publisher'
  | 'claim_differs'
  | 'event_refused'
  | 'self_hosted_runner'
  | 'pinned_id_differs'
  | 'ambiguous_publisher';

/** Why an ID token is not exchanged. `message`: for people. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
  readonly code: TokenRefusal;

  constructor(code: TokenRefusal, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
