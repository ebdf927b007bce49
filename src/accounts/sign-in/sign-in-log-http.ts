/**
 * Logs sign-ins and refused attempts to the audit log and, with the request id, to the server log. An entered name may
 * be a password, so an unknown name is recorded only as a keyed hash.
 */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Client } from '../../http/routes/client.ts';
import { attemptQueries } from '../../limits/attempt-queries.ts';
import { hashSubject } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { auditSubjects, type signInActions } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { emailKey, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';

/** The method of a sign-in. */
export type SignInMethod =
  | 'password'
  | 'password and code'
  | 'password and recovery code'
  | 'password and passkey'
  | 'passkey'
  | 'single sign-on'
  | 'new account';

/** The client address and the request's log. */
type LoggedClient = Pick<Client, 'address' | 'log'>;

interface RefusedSignIn {
  way: SignInMethod;
  /** `wrong`, `paused`, `disabled`, `changed` in the meantime, or what the provider's response lacked. */
  why: string;
  /** The account of the attempt, by id or by the entered name; null if unknown. */
  claimed: { userId: string } | { login: string } | null;
}

interface Accepted {
  user: User;
  way: SignInMethod;
}

export interface SignInLog {
  /** Call it in the transaction that creates the session. */
  recordAccepted(tx: Connection, client: LoggedClient, accepted: Accepted): Promise<void>;
  /** Call it after the commit. */
  logAccepted(client: LoggedClient, accepted: Accepted): void;
  /** Runs in the background, so that responses take equally long for every account. */
  refused(client: LoggedClient, refused: RefusedSignIn): void;
  /** Ends the session of that token. */
  signOut(client: LoggedClient, sessionToken: string): Promise<void>;
  /** Resolves when everything so far is written. */
  settled(): Promise<void>;
}

const windowMs = 60 * 60_000;
/** Maximum rows per hour for refused attempts: per account, and for all unknown names and passkeys together. */
export const maxRefusedRows = { account: 20, nobody: 100 } as const;
/** Above this number of background tasks, refused attempts are only logged, without a name. */
const maxBackgroundTasks = 100;
const markLength = 6;

interface Parts {
  data: Data;
  secret: ServerSecret;
  now: () => number;
}

export function createSignInLog(deps: Parts): SignInLog {
  const { data, now } = deps;
  const marks = createSigner(deps.secret, 'name that nobody has');
  const markOf = (login: string) => marks.sign(emailKey(login.trim())).slice(0, markLength);
  const background = createBackgroundTasks();
  return {
    recordAccepted: (tx, client, { user, way }) => {
      const details = { way, network: networkOf(client.address) };
      return auditQueries(tx).record({ ...entryOf(user, now()), action: 'sign-in.accepted', details });
    },
    logAccepted: (client, { user, way }) => {
      client.log.info({ ...factsOf(client, 'sign-in.accepted'), way, user: user.name }, 'signed in');
    },
    refused: (client, refused) => {
      const { way, why, claimed } = refused;
      const tell = (user: string | null) => {
        const facts = { ...factsOf(client, 'sign-in.refused'), way, why, user };
        client.log.warn(facts, 'refused to sign in');
      };
      const started = background.start(client, async () => {
        const user = await findClaimed(data, claimed);
        tell(user?.name ?? null);
        await recordRefused(deps, client, refused, user, markOf);
      });
      if (!started) tell(null);
    },
    signOut: async (client, sessionToken) => {
      const hash = hashSessionToken(sessionToken);
      const details = { network: networkOf(client.address) };
      const user = await data.transaction(async (tx) => {
        const known = await sessionQueries(tx).findSession(hash, now());
        await sessionQueries(tx).deleteSession(hash);
        if (known)
          await auditQueries(tx).record({
            ...entryOf(known.user, now()),
            action: 'sign-in.ended',
            details,
          });
        return known?.user;
      });
      if (user) client.log.info({ ...factsOf(client, 'sign-in.ended'), user: user.name }, 'signed out');
    },
    settled: background.settled,
  };
}

const factsOf = (client: LoggedClient, event: (typeof signInActions)[number]) => ({
  event,
  network: networkOf(client.address),
});

const entryOf = (user: User, at: number) => ({
  at,
  actor: { kind: 'user', user } as const,
  ownerId: user.id,
  subject: user.name,
});

async function findClaimed(data: Data, claimed: RefusedSignIn['claimed']): Promise<User | null> {
  if (claimed === null) return null;
  if ('login' in claimed) return (await ownerQueries(data).findUserForSignIn(claimed.login))?.user ?? null;
  const owner = await ownerQueries(data).findOwnerById(claimed.userId);
  return owner?.kind === 'user' ? owner : null;
}

/** Records the 1st, 10th, 100th … attempt within an hour, with the count, so that the log stays readable during an attack. */
async function recordRefused(
  { data, now }: Parts,
  client: LoggedClient,
  { way, why, claimed }: RefusedSignIn,
  user: User | null,
  markOf: (login: string) => string,
): Promise<void> {
  const network = networkOf(client.address);
  const whose = user?.id ?? '';
  const count = async (...subject: string[]) => {
    const [counted] = await attemptQueries(data).countAttempts([hashSubject(subject)], now(), windowMs);
    return counted?.count ?? 0;
  };
  const tries = await count('refused sign-in', whose, network);
  if (!/^10*$/.test(String(tries))) return;
  const rows = await count('rows of refused sign-ins', whose);
  if (rows > (user ? maxRefusedRows.account : maxRefusedRows.nobody)) return;
  const submitted = claimed !== null && 'login' in claimed ? claimed.login : null;
  const mark = user || submitted === null ? {} : { mark: markOf(submitted) };
  const nobody = submitted === null ? auditSubjects.unknownPerson : auditSubjects.unknownName;
  await auditQueries(data).record({
    at: now(),
    actor: 'sign-in',
    action: 'sign-in.refused',
    ownerId: user?.id ?? null,
    subject: user?.name ?? nobody,
    details: { way, why, network, tries, ...mark },
  });
}

/** Runs background work that no response waits for, and logs its failures. */
function createBackgroundTasks() {
  const running = new Set<Promise<void>>();
  return {
    /** Returns false if too much work is already running. */
    start: (client: LoggedClient, work: () => Promise<void>): boolean => {
      if (running.size >= maxBackgroundTasks) return false;
      const done: Promise<void> = work()
        .catch((err) => client.log.error({ err }, 'could not write sign-ins to the audit log'))
        .finally(() => running.delete(done));
      running.add(done);
      return true;
    },
    settled: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
}
