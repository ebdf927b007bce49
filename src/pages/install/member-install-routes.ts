import { filePath, iconPath } from '../../apps/app-paths.ts';
import type { FileTokenPurpose } from '../../apps/files/file-token.ts';
import {
  createStoredFileAccess,
  type StoredFileAccessDeps,
} from '../../apps/files/stored-file-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import { content } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { renderInstallManifest } from './install-manifest.ts';

/** The manifest of a build that is on no page. Its links work as long as those of other files. */
export function memberInstallRoutes(deps: StoredFileAccessDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/builds/:build/manifest.plist',
      summary: 'Download the install manifest of a build for iOS',
      access: createStoredFileAccess(deps, 'manifest'),
      keyScope: 'read',
      handle: async ({ subject: { app, build }, client }) => {
        if (app.platform !== 'ios') throw new NotFound();
        const keyed = (path: string, purpose: FileTokenPurpose) =>
          `${client.origin}${path}?key=${deps.fileTokens.issueForPage(purpose, app, build.id)}`;
        const manifest = renderInstallManifest({
          packageAddress: keyed(filePath(build.id), 'file'),
          iconAddress: keyed(iconPath(build.id), 'icon'),
          bundleIdentifier: build.info.packageName,
          bundleVersion: build.info.versionName ?? build.info.versionCode,
          title: build.info.name,
        });
        return content('application/xml; charset=utf-8', manifest, {
          headers: { 'Cache-Control': 'private, no-store' },
        });
      },
    }),
  ];
}
