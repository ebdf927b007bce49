import type { RetentionRule } from '../../owners/retention/retention.ts';
import { describeRetention } from '../../owners/retention/retention.ts';
import { retentionTexts } from '../../owners/retention/retention-texts.ts';

/** The retention section of the settings of an Owner or Workspace, with a link to the rule. */
export function RetentionSection({ rule, address }: { rule: RetentionRule; address: string }) {
  return (
    <section aria-labelledby="retention">
      <h2 id="retention">{retentionTexts.link}</h2>
      <p class="hint lead-hint">{describeRetention(rule, true)}</p>
      <a class="button" href={address} aria-label={retentionTexts.changeOf}>
        {retentionTexts.change}
      </a>
    </section>
  );
}
