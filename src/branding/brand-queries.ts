import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Brand } from '../web/shell/page-frame.ts';

/** The id of a Workspace, or `installation`. */
export type BrandId = 'installation' | (string & {});

export const brandQueries = defineQueries(createBrandQueries);

function createBrandQueries(db: Queries) {
  return {
    /** Fields are null where nothing is set. */
    async find(id: BrandId): Promise<Brand> {
      const row = await db
        .selectFrom('branding')
        .select(['name', 'accent', 'support'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row ?? { name: null, accent: null, support: null };
    },

    /** Returns the brand of the Workspace that the Project belongs to; null without one. */
    async findOfProject(projectId: string): Promise<Brand | null> {
      const row = await db
        .selectFrom('projects as p')
        .innerJoin('branding as b', 'b.id', 'p.workspace_id')
        .select(['b.name', 'b.accent', 'b.support'])
        .where('p.owner_id', '=', projectId)
        .executeTakeFirst();
      return row ?? null;
    },

    async save(id: BrandId, brand: Brand): Promise<void> {
      await db
        .insertInto('branding')
        .values({ id, workspace_id: id === 'installation' ? null : id, ...brand })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...brand }))
        .execute();
    },
  };
}
