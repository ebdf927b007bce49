import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Brand, BrandFields } from '../web/shell/page-frame.ts';

/** Null removes a field; an undefined one stays as it is. */
export type BrandChanges = { readonly [Field in keyof BrandFields]?: string | null | undefined };

/** The id of a Workspace, or `installation`. `icon:` with the id of a Workspace is its icon, stored as a brand with only a logo. */
export type BrandId = 'installation' | `icon:${string}` | (string & {});

export const brandQueries = defineQueries(createBrandQueries);

const columns = ['name', 'accent', 'support', 'logo_name as logo'] as const;

function createBrandQueries(db: Queries) {
  return {
    /** Fields that are not set are null. */
    async find(id: BrandId): Promise<Brand> {
      const row = await db.selectFrom('branding').select(columns).where('id', '=', id).executeTakeFirst();
      return row ?? { name: null, accent: null, support: null, logo: null };
    },

    /** Returns every brand that has been set, without the bytes of the logos. */
    async listAll(): Promise<Map<BrandId, Brand>> {
      const rows = await db
        .selectFrom('branding')
        .select(['id', ...columns])
        .execute();
      return new Map(rows.map(({ id, ...brand }) => [id, brand]));
    },

    /** Returns the bytes of a PNG. */
    async findLogo(name: string): Promise<Buffer | null> {
      const row = await db
        .selectFrom('branding')
        .select('logo')
        .where('logo_name', '=', name)
        .limit(1)
        .executeTakeFirst();
      return row?.logo ? Buffer.from(row.logo, 'base64') : null;
    },

    async save(id: BrandId, { name, accent, support }: BrandChanges): Promise<void> {
      const changes = Object.entries({ name, accent, support }).filter(([, value]) => value !== undefined);
      if (changes.length > 0) await put(id, Object.fromEntries(changes));
    },

    async saveLogo(id: BrandId, logo: { name: string; png: Uint8Array } | null): Promise<void> {
      const png = logo && Buffer.from(logo.png).toString('base64');
      await put(id, { logo: png, logo_name: logo?.name ?? null });
    },

    /** Also removes the icon. */
    async removeOfWorkspace(id: string): Promise<void> {
      await db
        .deleteFrom('branding')
        .where('id', 'in', [id, `icon:${id}`])
        .execute();
    },
  };

  async function put(
    id: BrandId,
    changes: Partial<Record<'name' | 'accent' | 'support' | 'logo' | 'logo_name', string | null>>,
  ): Promise<void> {
    await db
      .insertInto('branding')
      .values({ id, workspace_id: /^(?:installation$|icon:)/.test(id) ? null : id, ...changes })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
      .execute();
  }
}
