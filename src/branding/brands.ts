/** Brands of the installation and of Workspaces: which one a page shows, and how they change. */
import { invalid, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner, Workspace } from '../owners/owner.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import type { Brand, PageFrame } from '../web/shell/page-frame.ts';
import { brandQueries } from './brand-queries.ts';
import { brandingTexts } from './branding-texts.ts';

export const maxBrandNameLength = 60;
export const maxSupportLength = 254;

/** Whose brand is changed. Null: the installation’s. */
export type BrandOwner = Workspace | null;

export interface Brands {
  /** The installation’s brand as of at most a few seconds ago. */
  installation(): Brand;
  /** The frame of a page about something that belongs to the Owner: its Workspace’s brand overrides the installation’s. */
  frameFor(frame: PageFrame, owner: Pick<Owner, 'id'>): Promise<PageFrame>;
  find(of: BrandOwner): Promise<Brand>;
  save(by: Actor, of: BrandOwner, brand: Brand): Promise<void>;
}

const t = brandingTexts.errors;

/** Other nodes show a change after this time, with the second page that they render. */
const freshForMs = 5_000;

export async function createBrands({ data, now }: { data: Data; now: () => number }): Promise<Brands> {
  const find = (of: BrandOwner) => brandQueries(data).find(of?.id ?? 'installation');
  let installation = await find(null);
  let readAt = now();
  const refresh = async () => {
    readAt = now();
    // Pages keep the brand they have while the database does not answer.
    installation = await find(null).catch(() => installation);
  };
  return {
    installation: () => {
      if (now() - readAt >= freshForMs) void refresh();
      return installation;
    },
    frameFor: async (frame, owner) => {
      const own = await brandQueries(data).findOfProject(owner.id);
      return own ? { ...frame, brand: override(frame.brand, own) } : frame;
    },
    find,
    save: async (by, of, brand) => {
      await data.transaction(async (tx) => {
        if (of && !(await workspaceQueries(tx).lock(of.id))) throw new NotFound();
        await brandQueries(tx).save(of?.id ?? 'installation', brand);
        const subject = of?.name ?? 'Slipway';
        const entry = { at: now(), actor: by, ownerId: null, subject };
        await auditQueries(tx).record({ ...entry, action: 'branding.changed' });
      });
      if (of === null) await refresh();
    },
  };
}

const override = (base: Brand | undefined, own: Brand): Brand => ({
  name: own.name ?? base?.name ?? null,
  accent: own.accent ?? base?.accent ?? null,
  support: own.support ?? base?.support ?? null,
});

/** Each returns null for an empty field and throws `invalid` with a sentence. */
export function checkBrandName(name: string): string | null {
  if ([...name].length > maxBrandNameLength) throw invalid(t.name);
  if (/\p{Cc}|\p{Cf}/u.test(name)) throw invalid(t.nameCharacters);
  return name || null;
}

export function checkAccent(accent: string): string | null {
  if (accent !== '' && !/^#[0-9a-f]{6}$/i.test(accent)) throw invalid(t.accent);
  return accent.toLowerCase() || null;
}

/** An email address or an https address. */
export function checkSupport(support: string): string | null {
  if (support === '') return null;
  const url = URL.parse(support);
  const isHttps = url?.protocol === 'https:' && url.username === '' && url.password === '';
  const isMail = /^[^\s@<>"?&%]+@[^\s@<>"?&%]+$/.test(support);
  if (support.length > maxSupportLength || !(isHttps || isMail)) throw invalid(t.support);
  return isHttps ? url.href : support;
}
