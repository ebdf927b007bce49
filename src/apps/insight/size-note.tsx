/** The size of a build in one line, with its difference to the previous build. */
import { formatBytes } from '../../core/byte-size.ts';
import type { App, Build } from '../app.ts';
import { buildSizePath } from '../app-paths.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { sizeDifference } from '../compare/compare-builds.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import type { BuildSize } from './build-insight.ts';

const t = buildTexts.size;

/** Formats `12.4 MiB`, or `≈ 12.4 MiB` for an estimate. */
export const sizeText = ({ bytes, exact }: { bytes: number; exact: boolean }) =>
  exact ? formatBytes(bytes) : t.approximately({ size: formatBytes(bytes) });

export function SizeNote(props: {
  app: App;
  build: Build;
  size: BuildSize;
  appKey: string | null;
  /** Class of the difference. */
  differenceClass?: string;
}) {
  const { app, build, size, appKey, differenceClass = 'soft' } = props;
  const { previous } = size;
  const shown = sizeText({ bytes: size.downloadBytes, exact: size.exact });
  const difference =
    previous && sizeDifference({ from: previous.downloadBytes, to: size.downloadBytes }).bytes;
  const title =
    previous && difference !== null
      ? t.changed({ size: shown, difference, revision: previous.revision })
      : t.download({ size: shown });
  return (
    <a class="plain" href={keyedPath(buildSizePath(app, build.revision), appKey)} title={title}>
      {shown}
      {previous && previous.downloadBytes !== size.downloadBytes && (
        <>
          {' '}
          <span class={differenceClass}>{difference}</span>
        </>
      )}
    </a>
  );
}
