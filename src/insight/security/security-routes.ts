import type { AppHeads } from '../../apps/app-heads.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import { appAddresses, type VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadAnalysis } from '../analyses.ts';
import { renderSecurityPage } from './security-page.tsx';

export interface SecurityRouteDeps {
  data: Data;
  appHeads: AppHeads;
  visibleBuild: VisibleAppAccess['visibleBuild'];
}

export function securityRoutes({ data, appHeads, visibleBuild }: SecurityRouteDeps): Route[] {
  return appAddresses.map((address) =>
    defineRoute({
      method: 'GET',
      path: `${address}/binaries/:revision/security`,
      summary: 'Show the security facts of a build',
      access: visibleBuild,
      keyScope: 'read',
      params: { revision: revisionText() },
      handle: async ({ subject, frame }) =>
        html(
          renderSecurityPage({
            frame,
            head: await appHeads.of(subject.app, subject),
            build: subject.build,
            found: await loadAnalysis(data, subject.build.id),
            manages: subject.manages,
          }),
        ),
    }),
  );
}
