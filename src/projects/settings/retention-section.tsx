import type { RetentionRule } from '../../owners/retention.ts';
import { retentionTexts } from '../../owners/retention-texts.ts';

/** On the settings of an Owner or a Workspace: which builds of its apps are kept, and the way to the rule. */
export function KeepBuilds({ rule, address }: { rule: RetentionRule; address: string }) {
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">{retentionTexts.link}</h2>
      <p class="hint lead-hint">{retentionTexts.sentence(rule, true)}</p>
      <a class="button button-small button-plain" href={address}>
        {retentionTexts.change}
        <span class="unseen">: {retentionTexts.link}</span>
      </a>
    </section>
  );
}
