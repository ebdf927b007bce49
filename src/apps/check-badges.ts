import type { ComponentChildren } from 'preact';
import type { App, Build } from './app.ts';

/** Renders what the checks of builds found, by the id of the build. */
export type LoadCheckBadges = (
  app: App,
  builds: readonly Pick<Build, 'id'>[],
) => Promise<ReadonlyMap<string, ComponentChildren>>;
