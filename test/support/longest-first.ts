/**
 * Runs the longest files first, so that no process works on one alone in the end. Vitest sorts by the last duration in this clone, and
 * in a fresh one by size, which says little.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** More than 40 seconds in `npm run test:all`. */
export const longest = [
  'browser/every-page',
  'integrations/gradle',
  'uploader/uploader-in-ci',
  'interface/declared-routes',
  'packages/analysis/android',
  'browser/ten-tasks',
  'browser/upload',
  'packages/child-kills',
  'commands/demo',
  'uploader/resumable-upload',
  'interface/s3-errors',
  'commands/crash',
  'proxy/behind-a-proxy',
  'integrations/fastlane',
  'browser/live-updates',
  'uploads/resumable-nodes',
  'api/operations',
];

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank < 0 ? longest.length : rank;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
