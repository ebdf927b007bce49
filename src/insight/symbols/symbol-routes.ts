import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { buildSymbolsPath } from '../../apps/app-paths.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { StoredFiles } from '../../apps/files/stored-files-http.ts';
import { symbolFileQueries } from '../../apps/files/symbol-file-queries.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { appAddresses, type VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { NotFound, toSentence } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { blob, html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { bundleMappingResponse } from './bundle-mapping-http.ts';
import { type SymbolFiles, symbolField } from './symbol-files.ts';
import { receiveSymbolFile, symbolRateLimit } from './symbol-form-http.ts';
import { bundleMappingId } from './symbol-json.ts';
import { symbolTexts } from './symbol-texts.ts';
import { renderSymbolsPage } from './symbols-page.tsx';

export interface SymbolRouteDeps {
  data: Data;
  access: RouteAccess;
  appHeads: AppHeads;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  managedBuild: ManagedAppAccess['managedBuild'];
  symbolFiles: SymbolFiles;
  storedFiles: StoredFiles;
  blobs: BlobStore;
  spool: Spool;
  limits: { maxUploadBytes: number };
}

export function symbolRoutes(deps: SymbolRouteDeps): Route[] {
  const { data, appHeads, managedBuild, symbolFiles } = deps;
  const page = '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/symbols';
  const params = { revision: revisionText() };
  return [
    ...appAddresses.map((address) =>
      defineRoute({
        method: 'GET',
        path: `${address}/binaries/:revision/symbols`,
        summary: 'Show the symbol files of a build',
        access: deps.visibleBuild,
        keyScope: 'read',
        params,
        query: { done: lenient(v.picklist(['added', 'deleted'])) },
        handle: async ({ subject, frame, query: { done } }) => {
          const { app, build, manages } = subject;
          return html(
            renderSymbolsPage({
              frame,
              head: await appHeads.of(app, subject),
              build,
              symbols: manages ? await symbolFiles.load(build) : null,
              maxUploadBytes: deps.limits.maxUploadBytes,
              done: done ? symbolTexts.done[done] : null,
            }),
          );
        },
      }),
    ),
    defineRoute({
      method: 'POST',
      path: `${page}/upload`,
      summary: 'Upload a symbol file of a build',
      access: managedBuild,
      rateLimit: symbolRateLimit,
      params,
      streamedBody: { describes: formSchema },
      handle: ({ client, body, subject, frame, reauthorize }) =>
        receiveSymbolFile(deps, {
          change: subject,
          client,
          body,
          reauthorize,
          saved: () => redirect(`${buildSymbolsPath(subject.app, subject.build.revision)}?done=added`),
          renderError: async (error) =>
            renderSymbolsPage({
              frame,
              head: await appHeads.ofManaged(subject.app),
              build: subject.build,
              symbols: await symbolFiles.load(subject.build),
              maxUploadBytes: deps.limits.maxUploadBytes,
              done: null,
              error: toSentence(error),
            }),
        }),
    }),
    defineRoute({
      method: 'GET',
      path: `${page}/:symbols/file`,
      summary: 'Download a symbol file of a build',
      access: { ...managedBuild, credentials: ['session', 'key'], identify: deps.access.caller },
      keyScope: 'read',
      params,
      handle: async ({ subject: { app, build }, params: { symbols: id } }) => {
        if (id === bundleMappingId) {
          const { bundleMapping } = await symbolFiles.load(build);
          if (!bundleMapping) throw new NotFound();
          return blob(bundleMappingResponse(deps.blobs, app, build, bundleMapping));
        }
        const file = (await symbolFileQueries(data).list(build.id)).find((one) => one.id === id);
        if (!file) throw new NotFound();
        return blob(deps.storedFiles.symbolsOf(build, file));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/:symbols/delete`,
      summary: 'Delete a symbol file of a build',
      access: managedBuild,
      page,
      reauthentication: false,
      params,
      form: {},
      handle: async ({ subject, params: { symbols } }) => {
        await symbolFiles.remove(subject, symbols);
        return redirect(`${buildSymbolsPath(subject.app, subject.build.revision)}?done=deleted`);
      },
    }),
  ];
}

/** The fields of the form, for the OpenAPI document. */
const formSchema = {
  type: 'object',
  required: ['csrf', symbolField],
  properties: { csrf: { type: 'string' }, [symbolField]: { type: 'string', format: 'binary' } },
};
