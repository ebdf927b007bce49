import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { AccountAccess } from '../authorization/account-access-http.ts';
import type { Identify } from '../authorization/identify-http.ts';
import type { PageFrames } from '../authorization/page-frames-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import type { PasskeyCeremonies } from '../passkeys/passkey-ceremony.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import type { CountGuess } from '../sign-in/attempt-limits.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';
import type { SignInAccess } from '../sign-in/sign-in-access-http.ts';
import type { SignInLog } from '../sign-in/sign-in-log-http.ts';
import type { SecondFactors } from './second-factor.ts';
import type { SecondFactorChanges } from './second-factor-changes.ts';
import type { SecondStep } from './second-step-http.ts';

export interface AreaDeps {
  data: Data;
  frames: PageFrames;
  identify: Identify;
  attempts: Attempts;
  originOf: OriginOf;
  access: RouteAccess;
  accountAccess: AccountAccess;
  signInAccess: SignInAccess;
  countGuess: CountGuess;
  knownBrowsers: KnownBrowsers;
  startSession: StartSession;
  signIns: SignInLog;
  secret: ServerSecret;
  now: () => number;
  wakeOutbox: () => void;
}

export interface SecurityDeps extends AreaDeps {
  secondFactors: SecondFactors;
  changes: SecondFactorChanges;
  ceremonies: PasskeyCeremonies;
  secondStep: SecondStep;
}
