import type { ComponentChildren } from 'preact';
import { formatBytes } from '../../core/byte-size.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { Badge, Callout } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import { SubmitButton } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { isolated, timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { withQuery } from '../../web/shell/site-paths.ts';
import type { App } from '../app.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { buildDependenciesPath, comparePath, revisionPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { VerifiedSource } from '../builds/build-facts.tsx';
import type { BuildLine } from '../builds/build-list.tsx';
import { buildTexts } from '../builds/build-texts.ts';
import { versionText } from '../builds/version-text.ts';
import { keyedPath } from '../files/path-with-secret.ts';
import {
  type ComparedFact,
  type ComparedNames,
  type ComparedSet,
  type Comparison,
  sizeDifference,
} from './compare-builds.ts';

export interface CompareBuildsProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  /** The app secret if it opened the page, so that links keep it. */
  appKey: string | null;
  from: BuildLine;
  to: BuildLine;
  comparison: Comparison;
  /** What changed inside of the packages; null if it is unknown. */
  contents: ComponentChildren;
}

const t = buildTexts.compare;

export function renderCompareBuilds(props: CompareBuildsProps): string {
  const { frame, from, to, comparison } = props;
  const { notes } = comparison;
  const revisions = { from: from.build.revision, to: to.build.revision };
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'builds',
    title: t.heading,
    documentTitle: t.title({ from: revisions.from, to: revisions.to }),
    crumb: { label: t.heading, address: comparePath(props.app, revisions, props.appKey) },
    children: (
      <article class="compared">
        <Sides {...props} />
        <Callout tone="danger" title={t.notes.signerTitle} sentences={notes.signer} />
        <Callout tone="warning" title={t.notes.worthTitle} sentences={notes.worth} />
        <Changes {...props} />
        {props.contents}
        <p class="after-panel">
          <a
            href={withQuery(buildDependenciesPath(props.app, revisions.to), {
              compare: String(revisions.from),
              key: props.appKey ?? '',
            })}
          >
            {t.dependencies}
          </a>
        </p>
        <Choose {...props} />
      </article>
    ),
  });
}

function Sides(props: CompareBuildsProps) {
  return (
    <div class="sides">
      <ComparedBuild {...props} line={props.from} label={t.from} />
      <ComparedBuild {...props} line={props.to} label={t.to} />
    </div>
  );
}

function ComparedBuild(props: CompareBuildsProps & { line: BuildLine; label: string }) {
  const { app, appKey, frame, label } = props;
  const { build, iconAddress } = props.line;
  const address = keyedPath(revisionPath(app.owner, app.platform, app.packageName, build.revision), appKey);
  return (
    <section class="side" aria-label={`${label}: ${appTexts.app.revisionLong({ revision: build.revision })}`}>
      <AppIcon address={iconAddress} origin={frame.origin} name={build.info.name} size="medium" eager />
      <div>
        <p class="secondary fine">{label}</p>
        <h2>
          <a href={address}>
            <bdi>{versionText(build.info)}</bdi>{' '}
            <span class="revision">{appTexts.app.revision({ revision: build.revision })}</span>
          </a>
        </h2>
        <p class="secondary fine">
          {buildTexts.uploaded({
            user: build.uploadedBy,
            name: isolated,
            time: timeOf(build.createdAt, frame.now),
          })}
        </p>
        {build.source && (
          <p class="fine">
            {buildTexts.facts.builtBy} <VerifiedSource source={build.source} />
          </p>
        )}
        <p class="fine">{formatBytes(build.sizeBytes)}</p>
      </div>
    </section>
  );
}

function Changes({ comparison }: CompareBuildsProps) {
  const { identical, changed, same, sets, size } = comparison;
  const nothing = changed.length + sets.length === 0 && size.from === size.to;
  return (
    <>
      <section aria-labelledby="changed">
        <h2 id="changed">{t.changed}</h2>
        {identical && <p class="secondary">{t.identical}</p>}
        {nothing && !identical && <p class="secondary">{t.nothing}</p>}
        <Facts facts={[...sizeFact(size), ...changed.map(changedFact)]} />
      </section>
      {sets.length > 0 && (
        <div class="changed-sets">
          {sets.map((set) => (
            <SetChange key={set.label} set={set} />
          ))}
        </div>
      )}
      {same.length > 0 && (
        <details class="fold same">
          <summary>
            {t.same} <span class="count">{formatCount(same.length)}</span>
          </summary>
          <Facts
            facts={same.map((fact) => ({ label: fact.label, value: <Value fact={fact} text={fact.to} /> }))}
          />
        </details>
      )}
    </>
  );
}

function sizeFact(size: Comparison['size']): Fact[] {
  if (size.from === size.to) return [];
  const { bytes, exact, percent } = sizeDifference(size);
  const value = (
    <>
      <Becomes from={formatBytes(size.from)} to={formatBytes(size.to)} />{' '}
      <span class="secondary" title={exact}>
        {t.sizeDifference({ bytes, percent })}
      </span>
    </>
  );
  return [{ label: buildTexts.facts.size, value }];
}

function changedFact(fact: ComparedFact): Fact {
  const value = (
    <Becomes
      from={<Value fact={fact} text={fact.from} />}
      to={<Value fact={fact} text={fact.to} />}
      stacked={fact.machine}
    />
  );
  return { label: fact.label, value };
}

function Value({ fact, text }: { fact: ComparedFact; text: string | null }) {
  if (text === null) return <span class="secondary">{t.none}</span>;
  return fact.machine ? <InlineCode text={text} /> : <bdi>{text}</bdi>;
}

/** Screen readers read a word instead of the arrow. */
function Becomes(props: { from: ComponentChildren; to: ComponentChildren; stacked?: boolean }) {
  return (
    <span class={props.stacked ? 'becomes stacked' : 'becomes'}>
      {t.change({
        before: () => <span class="before">{props.from}</span>,
        arrow: (children) => <span aria-hidden="true">{children}</span>,
        unseen: (children) => <span class="unseen">{children}</span>,
        after: () => <span class="after">{props.to}</span>,
      })}
    </span>
  );
}

/** What was added to a list, and what was removed. */
export function SetChange({ set }: { set: ComparedSet }) {
  const id = `set-${set.label.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{set.label}</h3>
      <div class="changes">
        <Names names={set.added} machine={set.machine} tone="good" word={t.added} />
        <Names names={set.removed} machine={set.machine} tone="danger" word={t.removed} />
      </div>
    </section>
  );
}

/** How many lines are shown before the list is expanded. */
const unfoldedNames = 10;

function Names(props: { names: ComparedNames; machine: boolean; tone: 'good' | 'danger'; word: string }) {
  const { names, machine, tone, word } = props;
  const count = names.names.length + names.more;
  if (count === 0) return null;
  const list = (
    <ul class="machine-list">
      {names.names.map((name) => (
        <li key={name}>{machine ? <InlineCode text={name} /> : <span dir="auto">{name}</span>}</li>
      ))}
      {names.more > 0 && <li class="secondary">{t.more({ count: formatCount(names.more) })}</li>}
    </ul>
  );
  return (
    <div>
      <Badge tone={tone}>{word}</Badge>
      {count <= unfoldedNames ? (
        list
      ) : (
        <details>
          <summary>{formatCount(count)}</summary>
          {list}
        </details>
      )}
    </div>
  );
}

/** Form that selects two builds of the app. */
function Choose({ app, appKey, from, to }: CompareBuildsProps) {
  const revisions = { from: from.build.revision, to: to.build.revision };
  const [address] = comparePath(app, revisions, null).split('?', 1);
  return (
    <form class="choose-two" method="get" action={address}>
      {appKey !== null && <input type="hidden" name="key" value={appKey} />}
      <RevisionField name="from" label={t.from} revision={revisions.from} max={app.lastRevision} />
      <RevisionField name="to" label={t.to} revision={revisions.to} max={app.lastRevision} />
      <SubmitButton label={t.submit} />
      <a class="swap" href={comparePath(app, { from: revisions.to, to: revisions.from }, appKey)}>
        {t.swap}
      </a>
    </form>
  );
}

function RevisionField(props: { name: string; label: string; revision: number; max: number }) {
  const id = `compare-${props.name}`;
  return (
    <div class="field">
      <label for={id}>{props.label} #</label>
      <input
        id={id}
        name={props.name}
        type="number"
        min={1}
        max={props.max}
        value={props.revision}
        required
      />
    </div>
  );
}
