/** The retention pages, with all their fields filled through `text`. */
import {
  type Preview,
  renderAppRetention,
  renderOwnerRetention,
  renderWorkspaceRetention,
} from '../../src/apps/retention/retention-page.tsx';
import { keepEverything } from '../../src/owners/retention/retention.ts';
import { createProject, makeApp, makeAppHead, makeFrame, now, type TextOf } from './hostile.ts';
import { every } from './project-pages.ts';

export function retentionPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const app = makeApp(text);
  const owner = createProject(text);
  const workspace = { id: 'w', name: text('harbour'), displayName: text('Harbour'), iconUrl: text('/i.png') };
  const some = { newest: 20, days: 30 };
  const subject = { address: '/somewhere', owner: app.owner, workspaceName: workspace.displayName };
  const submitted = { kind: 'some', newest: text('20'), days: text('30') } as const;
  const view = {
    frame,
    submitted,
    done: text('Saved.'),
    inForce: { rule: some, from: 'workspace' },
    otherwise: { rule: keepEverything, from: null },
    errors: { keep: [text('Choose.')], newest: [text('No number.')], days: [text('No number.')] },
  } as const;
  const around = { sentence: text('So many.'), previous: text('/back'), next: text('/on') };
  const build = {
    id: 'b',
    revision: 3,
    versionName: text('1.0'),
    versionCode: text('7'),
    bytes: 12_345_678,
    createdAt: now,
    protected: false,
    exemptUntil: null,
  };
  const line = {
    app: { id: 'a', platform: app.platform, packageName: app.packageName, owner, rules: noRules },
    apps: 2,
    builds: 4,
    bytes: 5,
  };
  const found = { builds: 4, bytes: 5, apps: 2, lines: [line], lineCount: 1 };
  const preview = (shown: Preview['shown']) => ({ ...around, shown });
  const ofApp = { ...view, head: makeAppHead(text), subject: { ...subject, place: 'app' as const } };
  const ofOwner = { ...view, owner, permissions: every, subject: { ...subject, place: 'owner' as const } };
  const ofWorkspace = {
    ...view,
    workspace,
    errors: {},
    done: null,
    inForce: { rule: keepEverything, from: null },
    subject: { ...subject, owner: null, place: 'workspace' as const },
  };
  const nothing = { builds: 0, bytes: 0, shown: [] };
  return {
    'keeping builds of an app': renderAppRetention({ ...ofApp, preview: null }),
    'what would go of an app': renderAppRetention({
      ...ofApp,
      preview: preview({ of: 'app', app, found: { builds: 1, bytes: 5, shown: [build] } }),
    }),
    'nothing would go of an app': renderAppRetention({
      ...ofApp,
      preview: preview({ of: 'app', app, found: nothing }),
    }),
    'what would go of an owner': renderOwnerRetention({
      ...ofOwner,
      preview: preview({ of: 'owner', found, listed: true }),
    }),
    'what would go of an owner whose apps are not seen': renderOwnerRetention({
      ...ofOwner,
      preview: preview({ of: 'owner', found, listed: false }),
    }),
    'what would go in a Workspace': renderWorkspaceRetention({
      ...ofWorkspace,
      preview: preview({ of: 'workspace', found, listed: true }),
    }),
  };
}

const noRules = { app: null, owner: null, workspace: null };
