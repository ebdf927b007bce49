import * as v from 'valibot';
import { filePath, iconPath } from '../../apps/app-paths.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import { localName } from '../../apps/builds/version-text.ts';
import type { FileTokenPurpose } from '../../apps/files/file-token.ts';
import {
  createStoredFileAccess,
  type StoredFileAccessDeps,
} from '../../apps/files/stored-file-access-http.ts';
import type { StoredFiles } from '../../apps/files/stored-files-http.ts';
import { directInstallQuery, type RecordInstall } from '../../apps/install-panel-http.ts';
import { NotFound } from '../../core/errors.ts';
import { content, redirect } from '../../http/routes/answer.ts';
import { hintHeaders } from '../../http/routes/client-hints.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { renderInstallManifest } from './install-manifest.ts';
import type { InstallTarget } from './install-target-http.ts';

export interface MemberInstallRouteDeps extends StoredFileAccessDeps {
  installTarget: InstallTarget;
  storedFiles: StoredFiles;
  recordInstall: RecordInstall;
}

/**
 * The manifest of a build that no page serves, with links that work as long as those of other files, and the link in emails about
 * a build.
 */
export function memberInstallRoutes(deps: MemberInstallRouteDeps): Route[] {
  const { storedFiles } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/install',
      summary: 'Continue to what installs a build',
      access: deps.installTarget,
      keyScope: 'read',
      params: { revision: revisionText() },
      query: { page: lenient(v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/))) },
      handle: async ({ subject: place }) => redirect(place),
    }),
    defineRoute({
      method: 'GET',
      path: '/builds/:build/manifest.plist',
      summary: 'Download the install manifest of a build for iOS',
      access: createStoredFileAccess(deps, 'manifest'),
      keyScope: 'read',
      query: directInstallQuery,
      headers: hintHeaders,
      handle: async (context) => {
        const { app, build } = context.subject;
        if (app.platform !== 'ios') throw new NotFound();
        const keyed = (path: string, purpose: FileTokenPurpose) =>
          `${context.client.origin}${path}?key=${deps.fileTokens.issueForPage(purpose, app, build.id)}`;
        await storedFiles.installedOf(app, build).check?.();
        await deps.recordInstall(context);
        const manifest = renderInstallManifest({
          packageAddress: keyed(filePath(build.id), 'file'),
          iconAddress: keyed(iconPath(build.id), 'icon'),
          bundleIdentifier: build.info.packageName,
          bundleVersion: build.info.versionName ?? build.info.versionCode,
          title: localName(build.info),
        });
        return content('application/xml; charset=utf-8', manifest, {
          headers: { 'Cache-Control': 'private, no-store' },
        });
      },
    }),
  ];
}
