/** Symbol files in `/api/v1`. */
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { NotFound } from '../../core/errors.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, type JsonResponse, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { type SymbolFiles, symbolField } from './symbol-files.ts';
import { receiveSymbolFile, symbolRateLimit } from './symbol-form-http.ts';
import { symbolFileJson, symbolFileShape, symbolFilesJson } from './symbol-json.ts';

export interface SymbolApiRouteDeps {
  access: RouteAccess;
  managedBuild: ManagedAppAccess['managedBuild'];
  symbolFiles: SymbolFiles;
  spool: Spool;
  limits: { maxUploadBytes: number };
}

export function symbolApiRoutes(deps: SymbolApiRouteDeps): Route[] {
  const { access, managedBuild, symbolFiles } = deps;
  const path = `${appApiPath}/builds/:revision/symbols` as const;
  const params = { revision: revisionText() };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listSymbolFiles',
      summary: 'List the symbol files of a build',
      description: 'For people who manage the app.',
      tag: 'Builds',
      access: access.byKey(managedBuild),
      keyScope: 'read',
      params,
      answer: listAnswer(symbolFileShape),
      handle: async ({ subject: { app, build }, client }) =>
        json({
          data: symbolFilesJson(app, build, await symbolFiles.load(build), client.origin),
          next_cursor: null,
        }),
    }),
    defineRoute({
      method: 'POST',
      path,
      operationId: 'uploadSymbolFile',
      summary: 'Upload a symbol file of a build',
      description:
        'A zip file of dSYMs, the mapping of R8 or ProGuard, or a zip file of native libraries with their symbols. The kind is recognized from the content. A file that the build has already changes nothing.',
      tag: 'Builds',
      access: access.byKey(managedBuild),
      keyScope: 'upload',
      rateLimit: symbolRateLimit,
      params,
      streamedBody: { describes: formSchema },
      status: 201,
      answer: symbolFileShape,
      handle: async ({ subject, client, body, reauthorize }) =>
        (await receiveSymbolFile(deps, {
          change: subject,
          client,
          body,
          reauthorize,
          saved: (file) => json(symbolFileJson(subject.app, subject.build, file, client.origin)),
          renderError: null,
        })) as JsonResponse<ReturnType<typeof symbolFileJson>>,
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:symbols`,
      operationId: 'getSymbolFile',
      summary: 'Show a symbol file of a build',
      tag: 'Builds',
      access: access.byKey(managedBuild),
      keyScope: 'read',
      params,
      answer: symbolFileShape,
      handle: async ({ subject: { app, build }, params: { symbols }, client }) => {
        const files = symbolFilesJson(app, build, await symbolFiles.load(build), client.origin);
        const found = files.find(({ id }) => id === symbols);
        if (!found) throw new NotFound();
        return json(found);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/:symbols`,
      operationId: 'deleteSymbolFile',
      summary: 'Delete a symbol file of a build',
      tag: 'Builds',
      access: access.byKey(managedBuild),
      keyScope: 'manage',
      params,
      handle: async ({ subject, params: { symbols } }) => {
        await symbolFiles.remove(subject, symbols);
        return empty(204);
      },
    }),
  ];
}

const formSchema = {
  type: 'object',
  required: [symbolField],
  properties: { [symbolField]: { type: 'string', format: 'binary' } },
};
