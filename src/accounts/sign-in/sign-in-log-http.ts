/**
 * Who signed in and who was refused: a row in the audit log, and a line in the log under the request's id. What is typed as
 * a name may be a password: of a name that nobody has, a mark is kept that tells it from others and from which it cannot be
 * read.
 */

import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Client } from '../../http/routes/client.ts';
import { attemptQueries } from '../../limits/attempt-queries.ts';
import { hashSubject } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { auditSubjects } from '../../owners/audit.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { dayMs } from '../sessions/session-config.ts';
import { sessionQueries } from '../sessions/session-queries.ts';

/** By what somebody proves, or means to prove, who they are. */
export type SignInWay =
  | 'password'
  | 'password and code'
  | 'password and recovery code'
  | 'password and passkey'
  | 'passkey'
  | 'single sign-on'
  | 'new account';

/** Where it came from, and the log under its id. */
type LoggedClient = Pick<Client, 'address' | 'log'>;

interface RefusedSignIn {
  way: SignInWay;
  /** `wrong`, `paused`, `disabled`, or what the provider's answer lacked. */
  why: string;
  /** Whose account was meant: an id, or what was typed. Null: that is not known. */
  meant: { userId: string } | { login: string } | null;
}

interface Accepted {
  user: User;
  way: SignInWay;
}

export interface SignInLog {
  /** Belongs into the transaction that makes the session. */
  keepAccepted(inside: Connection, client: LoggedClient, accepted: Accepted): Promise<void>;
  /** To be called once that is committed. */
  tellAccepted(client: LoggedClient, accepted: Accepted): void;
  /** Works beside the answer, which so takes as long whoever was meant. */
  refused(client: LoggedClient, refused: RefusedSignIn): void;
  /** Ends the session of that token. */
  signOut(client: LoggedClient, sessionToken: string): Promise<void>;
  /** Resolves when what was told so far is written. */
  settled(): Promise<void>;
}

/** How long rows about signing in stay: they say where people were, as no deed does. A page says so, too. */
export const signInLogDays = 90;
const actions = ['sign-in.accepted', 'sign-in.refused', 'sign-in.ended'] as const;

const windowMs = 60 * 60_000;
/** Rows an hour however many are refused: about one account; about all names and passkeys that are nobody's. */
export const maxRefusedRows = { account: 20, nobody: 100 } as const;
/** While so many are under way, lines without a name must do. */
const maxUnderWay = 100;
const markLength = 6;

interface Parts {
  data: Data;
  secret: ServerSecret;
  now: () => number;
}

export function createSignInLog(parts: Parts): SignInLog {
  const { data, now } = parts;
  const marks = createSigner(parts.secret, 'name that nobody has');
  const markOf = (login: string) => marks.sign(login.trim().toLowerCase()).slice(0, markLength);
  const beside = createBeside();
  let sweptAt = 0;
  const sweep = async () => {
    if (now() - sweptAt < windowMs) return;
    sweptAt = now();
    await auditQueries(data).deleteOld(actions, now() - signInLogDays * dayMs);
  };
  return {
    keepAccepted: (inside, client, { user, way }) => {
      const details = { way, network: networkOf(client.address) };
      return auditQueries(inside).record({ ...entryOf(user, now()), action: 'sign-in.accepted', details });
    },
    tellAccepted: (client, { user, way }) => {
      client.log.info({ ...factsOf(client, 'sign-in.accepted'), way, user: user.name }, 'signed in');
      beside.start(client, sweep);
    },
    refused: (client, refused) => {
      const { way, why, meant } = refused;
      const tell = (user: string | null) => {
        const facts = { ...factsOf(client, 'sign-in.refused'), way, why, user };
        client.log.warn(facts, 'refused to sign in');
      };
      const started = beside.start(client, async () => {
        const user = await findMeant(data, meant);
        tell(user?.name ?? null);
        await sweep();
        await keepRefused(parts, client, refused, user, markOf);
      });
      if (!started) tell(null);
    },
    signOut: async (client, sessionToken) => {
      const hash = hashSessionToken(sessionToken);
      const details = { network: networkOf(client.address) };
      const user = await data.transaction(async (inside) => {
        const known = await sessionQueries(inside).findSession(hash, now());
        await sessionQueries(inside).deleteSession(hash);
        if (known)
          await auditQueries(inside).record({
            ...entryOf(known.user, now()),
            action: 'sign-in.ended',
            details,
          });
        return known?.user;
      });
      if (user) client.log.info({ ...factsOf(client, 'sign-in.ended'), user: user.name }, 'signed out');
    },
    settled: beside.settled,
  };
}

const factsOf = (client: LoggedClient, event: (typeof actions)[number]) => ({
  event,
  network: networkOf(client.address),
});

const entryOf = (user: User, at: number) => ({
  ...{ at, actor: { kind: 'user', user } as const },
  ...{ ownerId: user.id, subject: user.name },
});

async function findMeant(data: Data, meant: RefusedSignIn['meant']): Promise<User | null> {
  if (meant === null) return null;
  if ('login' in meant) return (await ownerQueries(data).findUserForSignIn(meant.login))?.user ?? null;
  const owner = await ownerQueries(data).findOwnerById(meant.userId);
  return owner?.kind === 'user' ? owner : null;
}

/** The first, tenth, hundredth … within an hour is a row that says how many there were, so that a flood stays readable. */
async function keepRefused(
  { data, now }: Parts,
  client: LoggedClient,
  { way, why, meant }: RefusedSignIn,
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
  const typed = meant !== null && 'login' in meant ? meant.login : null;
  const mark = user || typed === null ? {} : { mark: markOf(typed) };
  const nobody = typed === null ? auditSubjects.unknownPerson : auditSubjects.unknownName;
  await auditQueries(data).record({
    ...{ at: now(), actor: 'sign-in', action: 'sign-in.refused' },
    ...{ ownerId: user?.id ?? null, subject: user?.name ?? nobody },
    details: { way, why, network, tries, ...mark },
  });
}

/** Work that no answer waits for; its failures are logged. */
function createBeside() {
  const underWay = new Set<Promise<void>>();
  return {
    /** Answers whether there was room for it. */
    start: (client: LoggedClient, work: () => Promise<void>): boolean => {
      if (underWay.size >= maxUnderWay) return false;
      const done: Promise<void> = work()
        .catch((err) => client.log.error({ err }, 'sign-ins could not be written into the audit log'))
        .finally(() => underWay.delete(done));
      underWay.add(done);
      return true;
    },
    settled: async (): Promise<void> => {
      await Promise.all(underWay);
    },
  };
}
