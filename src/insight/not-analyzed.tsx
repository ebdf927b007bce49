/** Shown instead of the contents of a tab until its build is analyzed, or if it could not be. */
import type { BuildAnalysis } from './analyses.ts';
import { sizeTexts } from './size/size-texts.ts';

export function NotAnalyzed({ found }: { found: Exclude<BuildAnalysis, { state: 'analyzed' }> }) {
  return found.state === 'waiting' ? (
    <div class="callout" role="status">
      <p class="callout-title">{sizeTexts.waiting}</p>
      <p>{sizeTexts.waitingLine}</p>
    </div>
  ) : (
    <div class="callout callout-warning" role="note">
      <p class="callout-title">{sizeTexts.failed}</p>
      <p dir="auto">{found.failure}</p>
    </div>
  );
}
