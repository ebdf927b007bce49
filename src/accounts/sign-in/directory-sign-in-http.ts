/** Sign-in with a password of the directory (LDAP), on the same form as with one of this server. */
import type { Data } from '../../db/data.ts';
import type { Client } from '../../http/routes/client.ts';
import type { User } from '../../owners/owner.ts';
import { type AccountState, stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { invitedToPath } from '../invitations/invitation-accept-routes.ts';
import type { LdapDirectory } from '../ldap/ldap-directory.ts';
import type { Denial } from '../ldap/ldap-refusals.ts';
import type { PasswordProof } from '../sessions/sign-in-proof.ts';
import { invitationAt } from '../single-sign-on/finish-sign-on-http.ts';
import type { GroupClaims } from '../single-sign-on/group-claims.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import type { ProviderIdentity } from '../single-sign-on/provider-identity.ts';
import type { Admission, SingleSignOn } from '../single-sign-on/single-sign-on.ts';
import type { ClearGuesses, CountGuess, GuessLimits } from './attempt-limits.ts';
import type { KnownBrowsers } from './known-browser-http.ts';

export type Entered =
  | { kind: 'known'; userId: string; proof: PasswordProof; to?: string | null }
  | { kind: 'wrong' }
  | { kind: 'unreachable'; provider: string }
  | { kind: 'denied'; provider: string; why: Denial }
  | { kind: 'refused'; provider: string; why: Extract<Admission, { kind: 'refused' }>['why'] };

export interface DirectorySignIn {
  /** Throws `TooManyRequests`. */
  enter(client: Client, attempt: { login: string; password: string; to: string | null }): Promise<Entered>;
}

interface Parts {
  data: Data;
  directory: LdapDirectory;
  people: SingleSignOn;
  groups: GroupClaims;
  countGuess: CountGuess;
  knownBrowsers: KnownBrowsers;
  now: () => number;
}

/** A person has several logins, so guesses also count for the entry that they find. */
const guesses = (limits: GuessLimits): GuessLimits => ({ ...limits, name: 'directory password' });

export function createDirectorySignIn(deps: Parts, limits: GuessLimits): DirectorySignIn {
  const { data, directory, people, groups } = deps;
  const provider = directory.name;
  const authenticate = async (client: Client, login: string, password: string) => {
    let right: ClearGuesses | null = null;
    const found = await directory.authenticate({ login }, password, async (identity) => {
      right = await countFor(deps, limits, client, identity);
    });
    if (found.kind !== 'wrong') await (right as ClearGuesses | null)?.();
    return found;
  };
  return {
    enter: async (client, { login, password, to }) => {
      const found = await authenticate(client, login, password).catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error;
        client.log.warn({ kind: error.kind, reason: error.message }, 'the directory could not be asked');
        return { kind: 'unreachable' } as const;
      });
      if (found.kind !== 'known') return { provider, ...found };
      const { identity } = found;
      const admission = await people.admit(identity, await invitationAt(deps, to));
      if (admission.kind === 'refused') return { kind: 'refused', provider, why: admission.why };
      const { id: userId } = admission.user;
      const claimant = { source: 'ldap' } as const;
      await groups.apply(admission.user, claimant, await groups.assigned(claimant, identity.groups ?? null));
      const state = await accountStateQueries(data).find(userId);
      if (!state) return { kind: 'wrong' };
      const proof = { kind: 'password', stamp: stampOf(state) } as const;
      const joined = admission.kind === 'made' ? admission.joined : null;
      return { kind: 'known', userId, proof, to: joined ? invitedToPath(joined) : to };
    },
  };
}

async function countFor(
  { data, countGuess, knownBrowsers }: Parts,
  limits: GuessLimits,
  client: Client,
  { issuer, subject }: ProviderIdentity,
): Promise<ClearGuesses> {
  const user: User | null = await identityQueries(data).findUserOfIdentity(issuer, subject);
  const state: AccountState | null = user && (await accountStateQueries(data).find(user.id));
  const account = user && state ? { id: user.id, stamp: stampOf(state) } : null;
  const place = knownBrowsers.placeOf(client, account);
  const target = { name: user?.id ?? `${issuer} ${subject}`, userId: user?.id ?? null };
  return countGuess(guesses(limits), target, place);
}
