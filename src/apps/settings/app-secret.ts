/** Rotates an app secret. A trigger also rotates it when anyone loses access. */

import { NotFound } from '../../core/errors.ts';
import { newHexKey } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { App } from '../app.ts';
import { appQueries } from '../app-queries.ts';
import { appTexts } from '../app-texts.ts';

/** Returns the new secret. Invalidates page links with the old secret and all earlier file and icon links. */
export type RotateSecret = (by: Actor | 'command-line', app: App) => Promise<string>;

export function createRotateSecret({ data, now }: { data: Data; now: () => number }): RotateSecret {
  return async (by, app) => {
    const secret = newHexKey();
    await data.transaction(async (tx) => {
      if (!(await appQueries(tx).rotateSecret(app.id, secret))) throw new NotFound(appTexts.errors.gone);
      await auditQueries(tx).record({
        at: now(),
        actor: by,
        action: 'app.secret-rotated',
        ownerId: app.owner.id,
        subject: `${app.packageName} (${app.platform})`,
        details: { app: app.id },
      });
    });
    return secret;
  };
}
