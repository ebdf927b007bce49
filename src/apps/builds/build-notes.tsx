import { Callout } from '../../web/components/callout.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { Build } from '../app.ts';
import { buildNotes } from './build-warnings.ts';

/** Shows all warnings about a build, or nothing. */
export function BuildNotes({ build, now }: { build: Build; now: number }) {
  const { blocked, sentences } = buildNotes(build, now);
  return blocked ? (
    <Callout tone="danger" title={texts.build.cannotInstall} sentences={sentences} />
  ) : (
    <Callout tone="warning" title={texts.build.warnings} sentences={sentences} />
  );
}
