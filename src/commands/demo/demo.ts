/** State shared by the subjects of the demo while it is being filled. Each subject plans events, which then run in chronological order. */
import type { MemoryMailer } from '../../mail/memory-mailer.ts';
import { type DemoBrowser, type DemoServer, signIn } from './demo-browser.ts';

export const dayMs = 24 * 60 * 60_000;
export const hourMs = 60 * 60_000;
/** How many days of activity the demo has. */
export const demoDays = 60;

/** An action at a time in the past. */
export interface DemoEvent {
  at: number;
  run(demo: Demo): Promise<void>;
}

/** Plans the events of one subject. `endsAt`: the time of the start; every event is before it. */
export type DemoSubject = (endsAt: number) => DemoEvent[];

export interface DemoPage {
  /** Key of the app in `apps.ts`. */
  app: string;
  name: string;
  accessKey: string;
  platform: 'android' | 'ios';
  publishedAt: number;
  updates: number;
}

export interface DemoBuild {
  app: string;
  revision: number;
  branch: string;
  versionName: string;
}

export interface Demo {
  server: DemoServer;
  /** Name and password of the administrator. Everyone has the same password. */
  administrator: string;
  password: string;
  now(): number;
  /** Accepts all mail without delivering it. */
  mailer: MemoryMailer;
  /** Resolves when all due background work is done. */
  settle(): Promise<void>;
  /** Returns the browser of a person, signed in: on a computer, unless `userAgent` is that of another device. */
  as(name: string, userAgent?: string): Promise<DemoBrowser>;
  /** API keys, by the name of their User or Project. */
  keys: Map<string, string>;
  builds: DemoBuild[];
  /** Pages by app and name. */
  pages: Map<string, DemoPage>;
}

/** Sessions end after several days without use. */
const sessionReuseMs = 5 * dayMs;

export function createDemo(
  parts: Pick<Demo, 'server' | 'administrator' | 'password' | 'now' | 'mailer' | 'settle'>,
): Demo {
  const { server, password, now } = parts;
  const sessions = new Map<string, { since: number; browser: DemoBrowser }>();
  return {
    ...parts,
    keys: new Map(),
    builds: [],
    pages: new Map(),
    as: async (login, userAgent) => {
      const session = `${login} ${userAgent}`;
      const known = sessions.get(session);
      if (known && now() - known.since < sessionReuseMs) return known.browser;
      const browser = await signIn(server, login, { password, userAgent, from: addressOf(login) });
      sessions.set(session, { since: now(), browser });
      return browser;
    },
  };
}

/** Returns an address in a documentation network (RFC 5737) for each person. */
export function addressOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return `198.51.100.${1 + (sum % 250)}`;
}

/** Returns the time `days` before the end of the demo, at an hour of that day in UTC. */
export function daysBefore(endsAt: number, days: number, hour: number): number {
  const midnight = Math.floor(endsAt / dayMs) * dayMs;
  return Math.min(midnight - days * dayMs + hour * hourMs, endsAt - 1);
}
