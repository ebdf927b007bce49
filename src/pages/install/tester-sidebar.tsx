/** Origin of the build, so that testers can distinguish builds. */

import { InlineCode } from '../../web/components/code-block.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { safeLink } from '../../web/components/safe-address.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

export function TesterAside({ build, frame }: TesterPageProps) {
  const { label, branch, commit, buildUrl } = build;
  if (!label && !branch && !commit && !buildUrl) return null;
  return (
    <section class="about" aria-labelledby="about">
      <h2 id="about">{testerTexts.about}</h2>
      <Facts
        facts={[
          { label: texts.facts.label, value: label && <bdi>{label}</bdi> },
          { label: texts.facts.branch, value: branch && <InlineCode text={branch} /> },
          { label: texts.facts.commit, value: commit && <Commit commit={commit} /> },
          { label: texts.facts.buildUrl, value: buildUrl && <RunLink text={buildUrl} /> },
          { label: texts.facts.uploaded, value: <Timestamp at={build.createdAt} now={frame.now} exact /> },
        ]}
      />
    </section>
  );
}

/** Slightly longer than on GitHub and GitLab. */
const shortCommitLength = 10;

function Commit({ commit }: { commit: string }) {
  const isDigest = /^[0-9a-f]{12,64}$/i.test(commit);
  return (
    <code class="machine" dir="auto" title={commit}>
      {isDigest ? commit.slice(0, shortCommitLength) : commit}
    </code>
  );
}

/** Link text is the host. URLs that must not become links stay text. */
function RunLink({ text }: { text: string }) {
  const address = safeLink(text);
  if (!address) return <InlineCode text={text} />;
  return (
    <a href={address} rel="noopener noreferrer nofollow">
      {new URL(address).host}
    </a>
  );
}
