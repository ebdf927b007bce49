import { Callout } from '../../web/components/callout.tsx';
import type { Build } from '../app.ts';
import { buildTexts } from './build-texts.ts';
import { buildNotes } from './build-warnings.ts';

/** Shows all warnings about a build, or nothing. */
export function BuildNotes({ build, now }: { build: Build; now: number }) {
  const { blocked, sentences } = buildNotes(build, now);
  if (build.apk?.state === 'converting') return <Conversion percent={build.apk.percent} />;
  return blocked ? (
    <Callout tone="danger" title={buildTexts.build.cannotInstall} sentences={sentences} />
  ) : (
    <Callout tone="warning" title={buildTexts.build.warnings} sentences={sentences} />
  );
}

function Conversion({ percent }: { percent: number }) {
  const t = buildTexts.conversion;
  return (
    <div class="callout" role="note">
      <p class="callout-title">{t.title}</p>
      <p>{t.line}</p>
      <progress max={100} value={percent} aria-label={t.title} />
    </div>
  );
}
