/** Origin of the build, so that testers can distinguish builds. */

import { buildFieldFacts } from '../../apps/builds/build-facts.tsx';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { Facts } from '../../web/components/facts.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

export function TesterAside({ build, frame }: TesterPageProps) {
  const origin = buildFieldFacts(build, { short: true });
  if (!origin.some(({ value }) => value)) return null;
  return (
    <section class="about" aria-labelledby="about">
      <h2 id="about">{testerTexts.about}</h2>
      <Facts
        facts={[
          ...origin,
          {
            label: buildTexts.facts.uploaded,
            value: <Timestamp at={build.createdAt} now={frame.now} exact />,
          },
        ]}
      />
    </section>
  );
}
