import type { Data } from '../db/data.ts';
import type { Attempts } from '../limits/attempts.ts';
import type { Quota } from '../owners/quota.ts';
import type { AccountAccess } from './authorization/account-access-http.ts';
import type { RouteAccess } from './authorization/route-access-http.ts';
import type { Invite } from './invitations/invite.ts';
import type { IssueKey } from './keys/issue-key.ts';
import type { LdapDirectory } from './ldap/ldap-directory.ts';
import type { RefuseBreached } from './passwords/breached-passwords.ts';
import type { SetPassword } from './passwords/set-password.ts';
import type { RegisterAccount } from './profile/create-account.ts';
import type { EmailChangeTokens } from './profile/email-change-token.ts';
import type { StartSession } from './sessions/start-session-http.ts';
import type { SignOn } from './single-sign-on/single-sign-on-deps-http.ts';

export interface AccountRouteDeps {
  data: Data;
  access: RouteAccess;
  accountAccess: AccountAccess;
  attempts: Attempts;
  startSession: StartSession;
  issueKey: IssueKey;
  emailChanges: EmailChangeTokens;
  refuseBreached: RefuseBreached;
  /** Whether this server sends email. */
  canSendMail: boolean;
  /** Whether anyone can create an account. */
  signUpOpen: boolean;
  /** For accounts from open sign-up; null when sign-up is not open. */
  signUpQuota: Quota | null;
  /** Whether people sign in with a password. */
  passwords: boolean;
  /** The single sign-on providers of the installation. */
  signOns: readonly SignOn[];
  /** Null without a directory. */
  ldap: Pick<LdapDirectory, 'name'> | null;
  /** Null if not configured. */
  publicUrl: string | null;
  now: () => number;
  wakeOutbox: () => void;
}

export interface AccountDeps extends AccountRouteDeps {
  setPassword: SetPassword;
  createAccount: RegisterAccount;
  invite: Invite;
}
