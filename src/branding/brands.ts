/** Brands of the installation and of Workspaces: the brand of a page, and changes. */

import { createHash } from 'node:crypto';
import { invalid, NotFound } from '../core/errors.ts';
import { isVisibleName } from '../core/name-text.ts';
import type { Connection, Data } from '../db/data.ts';
import type { Actor } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { defaultWorkspaceIcon } from '../owners/create-owners.ts';
import { type Workspace, workspaceOf } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import type { Brand } from '../web/shell/page-frame.ts';
import { brandLogoPath } from '../web/shell/site-paths.ts';
import { type BrandChanges, type BrandId, brandQueries } from './brand-queries.ts';
import { brandingTexts } from './branding-texts.ts';

export const maxBrandNameLength = 60;
export const maxSupportLength = 254;

/** The owner of the brand; null for the installation. */
export type BrandOwner = Workspace | null;

export interface Brands {
  /** The installation’s brand, at most a few seconds old. */
  installation(): Brand;
  /** The Workspace’s brand, which overrides the installation’s; at most a few seconds old. */
  ofWorkspace(workspaceId: string): Brand;
  /** The brand for emails about something that belongs to the Owner, read from the database. Null for the installation’s brand. */
  forEmail(owner: { id: string; workspace?: { id: string } | null } | null): Promise<Brand>;
  find(of: BrandOwner): Promise<Brand>;
  /** Fields that are absent from `changes` stay as they are. */
  save(by: Actor, of: BrandOwner, changes: BrandChanges): Promise<void>;
  /** `png`: from `PackageReader.drawLogo`; null removes the logo. */
  saveLogo(by: Actor, of: BrandOwner, png: Uint8Array | null): Promise<void>;
  /** The icon of a Workspace, stored and served like a logo. */
  saveIcon(by: Actor, workspace: Workspace, png: Uint8Array | null): Promise<void>;
  /** Returns the PNG with this name; null if there is none. */
  findLogo(name: string): Promise<Buffer | null>;
}

const t = brandingTexts.errors;

/** Other nodes show a change after this time, on the second page that they render. */
const freshForMs = 5_000;

const none: Brand = { name: null, accent: null, support: null, logo: null };

export async function createBrands({ data, now }: { data: Data; now: () => number }): Promise<Brands> {
  let all = await brandQueries(data).listAll();
  let readAt = now();
  const refresh = async () => {
    readAt = now();
    // While the database does not answer, pages keep the brands that were read before.
    all = await brandQueries(data)
      .listAll()
      .catch(() => all);
  };
  const current = () => {
    if (now() - readAt >= freshForMs) void refresh();
    return all;
  };
  const change = async (by: Actor, of: BrandOwner, write: (tx: Connection, id: BrandId) => Promise<void>) => {
    await data.transaction(async (tx) => {
      if (of && !(await workspaceQueries(tx).lock(of.id))) throw new NotFound();
      await write(tx, of?.id ?? 'installation');
      const entry = { at: now(), actor: by, ownerId: null, subject: of?.name ?? 'Slipway' };
      await auditQueries(tx).record({ ...entry, action: 'branding.changed' });
    });
    await refresh();
  };
  return {
    installation: () => brandOf(current(), null),
    ofWorkspace: (id) => brandOf(current(), id),
    forEmail: async (owner) => {
      const brands = await brandQueries(data).listAll();
      return brandOf(brands, owner && (workspaceOf(owner)?.id ?? null));
    },
    find: (of) => brandQueries(data).find(of?.id ?? 'installation'),
    save: (by, of, changes) => change(by, of, (tx, id) => brandQueries(tx).save(id, changes)),
    saveLogo: (by, of, png) =>
      change(by, of, (tx, id) => brandQueries(tx).saveLogo(id, png && { name: nameLogo(png), png })),
    saveIcon: (by, { id, name }, png) =>
      data.transaction(async (tx) => {
        const present = (await workspaceQueries(tx).lock(id)) && (await ownerQueries(tx).findWorkspace(name));
        if (!present) throw new NotFound();
        const icon = png && { name: nameLogo(png), png };
        await brandQueries(tx).saveLogo(`icon:${id}`, icon);
        const iconUrl = icon ? brandLogoPath(icon.name) : defaultWorkspaceIcon;
        await workspaceQueries(tx).change(id, { ...present, iconUrl });
        const entry = { at: now(), actor: by, ownerId: null, subject: name };
        await auditQueries(tx).record({ ...entry, action: 'workspace.changed' });
      }),
    findLogo: (name) => brandQueries(data).findLogo(name),
  };
}

function brandOf(brands: ReadonlyMap<BrandId, Brand>, workspaceId: string | null): Brand {
  const base = brands.get('installation') ?? none;
  const own = workspaceId === null ? undefined : brands.get(workspaceId);
  if (!own) return base;
  return {
    name: own.name ?? base.name,
    accent: own.accent ?? base.accent,
    support: own.support ?? base.support,
    // The installation’s logo would be wrong next to another name.
    logo: own.logo ?? (own.name === null ? base.logo : null),
  };
}

/** The address of a logo never serves a different one, so it can be cached permanently. */
function nameLogo(png: Uint8Array): string {
  const bytes = Buffer.from(png);
  // PNG specification, 11.2.2: the size is at the start of IHDR.
  const size = `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
  return `${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}-${size}.png`;
}

/** Each returns null for an empty field, and throws `invalid` with a sentence. */
export function checkBrandName(name: string): string | null {
  if ([...name].length > maxBrandNameLength) throw invalid(t.name);
  if (!isVisibleName(name)) throw invalid(t.nameCharacters);
  return name || null;
}

/** Also the `pattern` of the field. */
export const accentPattern = '#[0-9A-Fa-f]{6}';
const accentSyntax = new RegExp(`^${accentPattern}$`);

export function checkAccent(accent: string): string | null {
  if (accent !== '' && !accentSyntax.test(accent)) throw invalid(t.accent);
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
