/** The security facts of a build, the worst first, and for people who manage the app the secrets in it. */
import type { Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { LivePart } from '../../web/components/live-part.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { BuildAnalysis } from '../analyses.ts';
import { NotAnalyzed } from '../not-analyzed.tsx';
import { type SecurityFact, type Severity, securityFacts, severities } from './security-facts.ts';
import { secretName, securitySentence, securityTexts } from './security-texts.ts';

export interface SecurityPageProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  found: BuildAnalysis;
  /** Whether the viewer manages the app, and so may see its secrets. */
  manages: boolean;
}

const t = securityTexts;
const shownItems = 5;

const tones: Readonly<Record<Severity, Tone>> = {
  high: 'danger',
  medium: 'warning',
  low: 'plain',
  not_analyzed: 'plain',
  info: 'plain',
  good: 'good',
};

const sections = [
  { id: 'findings', severities: ['high', 'medium', 'low', 'not_analyzed'] },
  { id: 'info', severities: ['info'] },
  { id: 'good', severities: ['good'] },
] as const satisfies { id: string; severities: readonly Severity[] }[];

export function renderSecurityPage({ frame, head, build, found, manages }: SecurityPageProps): string {
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'security',
    line: lineOf(found),
    documentTitle: t.titleOf({ revision: build.revision }),
    children: (
      <LivePart id="security" pending={found.state === 'waiting'}>
        <Content found={found} manages={manages} />
      </LivePart>
    ),
  });
}

function lineOf(found: BuildAnalysis): string | null {
  if (found.state !== 'analyzed') return null;
  const facts = securityFacts(found.analysis);
  return facts.length === 0 ? t.empty : countsText(facts);
}

function Content({ found, manages }: Pick<SecurityPageProps, 'found' | 'manages'>) {
  if (found.state !== 'analyzed') return <NotAnalyzed found={found} />;
  const { analysis } = found;
  const facts = securityFacts(analysis);
  const isUnsearched = analysis.gaps.some(({ part }) => part === 'secrets');
  return (
    <>
      {manages && <Secrets secrets={analysis.secrets} isUnsearched={isUnsearched} />}
      {facts.length > 0 &&
        sections.map(({ id, severities: ofSection }) => (
          <Facts
            key={id}
            id={id}
            facts={facts.filter(({ severity }) => ofSection.some((one) => one === severity))}
          />
        ))}
    </>
  );
}

/** `1 high · 2 medium · 5 in order` */
function countsText(facts: readonly SecurityFact[]): string {
  return severities
    .map((severity) => ({ severity, count: facts.filter((fact) => fact.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => t.counts[severity]({ count }))
    .join(' · ');
}

function Facts({ id, facts }: { id: (typeof sections)[number]['id']; facts: readonly SecurityFact[] }) {
  if (facts.length === 0 && id !== 'findings') return null;
  return (
    <section class="section" aria-labelledby={id}>
      <h2 id={id}>{t[id]}</h2>
      {facts.length === 0 ? (
        <p class="soft">{t.noFindings}</p>
      ) : (
        <ul class="panel rows findings">
          {facts.map((fact) => (
            <li key={fact.kind} id={fact.kind}>
              <Badge tone={tones[fact.severity]}>{t.severities[fact.severity]}</Badge>
              <span class="grow">
                <span class="line-1">
                  <strong>{t.names[fact.kind]}</strong>
                </span>
                <span class="line-2">{securitySentence(fact)}</span>
                <Items items={fact.items} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Items({ items }: { items: readonly string[] }) {
  if (items.length === 0) return null;
  const list = (some: readonly string[]) => (
    <ul class="points fine">
      {some.map((item) => (
        <li key={item}>
          <InlineCode text={item} />
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {list(items.slice(0, shownItems))}
      {items.length > shownItems && (
        <details class="quiet-fold">
          <summary>{t.more({ count: items.length - shownItems })}</summary>
          {list(items.slice(shownItems))}
        </details>
      )}
    </>
  );
}

/** Keys that are made to be in apps come last. */
const byWeight = (one: { kind: string }, other: { kind: string }) =>
  Number(one.kind === 'google_api_key') - Number(other.kind === 'google_api_key');

function Secrets(props: {
  secrets: readonly { kind: string; path: string; redacted: string }[];
  isUnsearched: boolean;
}) {
  const { secrets, isUnsearched } = props;
  return (
    <section class="section" aria-labelledby="secrets">
      <h2 id="secrets">{t.secrets.title}</h2>
      <p class="soft">
        {secrets.length === 0 ? t.secrets.none : t.secrets.line} {isUnsearched && t.secrets.unseen}{' '}
        {t.secrets.managers}
      </p>
      {secrets.length > 0 && (
        <ul class="panel rows findings">
          {[...secrets].sort(byWeight).map(({ kind, path, redacted }) => (
            <li key={`${kind} ${path} ${redacted}`}>
              <Badge tone={kind === 'google_api_key' ? 'plain' : 'danger'}>
                {kind === 'google_api_key' ? t.severities.low : t.severities.high}
              </Badge>
              <span class="grow">
                <span class="line-1">
                  <strong>{secretName(kind)}</strong> <InlineCode text={redacted} />
                </span>
                <span class="line-2">
                  <InlineCode text={path} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
