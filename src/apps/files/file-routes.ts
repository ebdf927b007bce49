import { NotFound } from '../../core/errors.ts';
import { blob } from '../../http/routes/answer.ts';
import { hintHeaders } from '../../http/routes/client-hints.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { directInstallQuery, type RecordInstall } from '../install-panel-http.ts';
import type { FileTokenPurpose } from './file-token.ts';
import {
  createStoredFileAccess,
  reauthorizeFile,
  type StoredFileAccessDeps,
} from './stored-file-access-http.ts';
import type { StoredFiles } from './stored-files-http.ts';

export interface FileRouteDeps extends StoredFileAccessDeps {
  storedFiles: StoredFiles;
  recordInstall: RecordInstall;
}

/** Serves the files of a build: package, simulator build and icon. */
export function fileRoutes(deps: FileRouteDeps): Route[] {
  const { storedFiles } = deps;
  const accessTo = (purpose: FileTokenPurpose) =>
    ({
      method: 'GET',
      access: createStoredFileAccess(deps, purpose),
      keyScope: 'read',
      reauthorize: reauthorizeFile(deps),
    }) as const;
  return [
    defineRoute({
      ...accessTo('file'),
      path: '/builds/:build/file',
      summary: 'Download the package of a build',
      query: directInstallQuery,
      headers: hintHeaders,
      handle: async (context) => {
        const { app, build } = context.subject;
        if (context.query.by === undefined) return blob(storedFiles.packageOf(app, build));
        const file = storedFiles.installedOf(app, build);
        await file.check?.();
        await deps.recordInstall(context);
        return blob(file);
      },
    }),
    defineRoute({
      ...accessTo('file'),
      path: '/builds/:build/apk',
      summary: 'Download the APK that devices install',
      handle: async ({ subject: { app, build } }) => {
        if (app.platform !== 'android') throw new NotFound();
        return blob(storedFiles.installedOf(app, build));
      },
    }),
    defineRoute({
      ...accessTo('simulator'),
      path: '/builds/:build/simulator',
      summary: 'Download the simulator build of a build',
      handle: async ({ subject: { app, build } }) => blob(storedFiles.simulatorOf(app, build)),
    }),
    defineRoute({
      ...accessTo('icon'),
      path: '/builds/:build/icon',
      summary: 'Show the icon of a build',
      handle: async ({ subject: { app, build } }) => blob(await storedFiles.iconOf(app, build)),
    }),
  ];
}
