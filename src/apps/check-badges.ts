import type { ComponentChildren } from 'preact';
import type { App, Build } from './app.ts';

/** Renders what the checks of builds found, with a link to them, by the id of the build. `appKey`: the app secret if it opened the page. */
export type LoadCheckBadges = (
  app: App,
  builds: readonly Pick<Build, 'id' | 'revision'>[],
  appKey: string | null,
) => Promise<ReadonlyMap<string, ComponentChildren>>;
