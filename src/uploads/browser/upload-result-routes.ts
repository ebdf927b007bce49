import * as v from 'valibot';
import type { AppHeads } from '../../apps/app-heads.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { iconAddress } from '../../apps/builds/build-rows.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { FileTokens } from '../../apps/files/file-token.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { renderUploadResult, renderUploadShare } from './upload-result.tsx';

export interface UploadResultRouteDeps {
  data: Data;
  fileTokens: FileTokens;
  appHeads: AppHeads;
  managedBuild: ManagedAppAccess['managedBuild'];
}

/** The page after an upload without scripts, and a part of it for the script of the upload page. */
export function uploadResultRoutes({
  data,
  fileTokens,
  appHeads,
  managedBuild,
}: UploadResultRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/uploaded',
      summary: 'Show the result of an upload',
      access: managedBuild,
      params: { revision: revisionText() },
      query: { part: lenient(v.literal('share')) },
      handle: async ({ frame, subject: { app, build }, query: { part } }) => {
        const pages = await appPageQueries(data).pagesOfBuild({ kind: 'manager' }, build.id);
        // The newest one is the page named in the upload.
        const [page = null] = pages
          .filter(({ current }) => current)
          .sort((one, other) => other.since - one.since);
        const result = { frame, app, build, page };
        if (part) return html(renderUploadShare(result));
        return html(
          renderUploadResult({
            ...result,
            head: await appHeads.ofManaged(app),
            iconAddress: iconAddress(fileTokens, app, build.id),
          }),
        );
      },
    }),
  ];
}
