/** The page about where a build comes from. */
import type { Build } from '../../apps/app.ts';
import type { AppHead } from '../../apps/app-head.tsx';
import { provenancePath } from '../../apps/app-paths.ts';
import { renderBuildTab } from '../../apps/insight/build-tabs.tsx';
import { formatBytes } from '../../core/byte-size.ts';
import { Badge, Callout } from '../../web/components/callout.tsx';
import { InlineCode } from '../../web/components/code-block.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { FormSection } from '../../web/components/form-field.tsx';
import { FileField } from '../../web/components/inputs/file-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { safeLink } from '../../web/components/safe-address.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type Attestation, maxAttestationBytes } from './attestation.ts';
import type { Provenance } from './provenance.ts';
import { provenanceTexts } from './provenance-texts.ts';
import { attestationField } from './verify-attestation.ts';

export interface ProvenancePageProps {
  frame: PageFrame;
  head: AppHead;
  build: Build;
  provenance: Provenance;
  /** Whether the viewer can attach attestations. */
  manages: boolean;
  done: string | null;
  /** Why an attestation was not attached, as a full sentence. */
  error?: string | null;
}

const t = provenanceTexts;

export function renderProvenance(props: ProvenancePageProps): string {
  const { frame, head, build, provenance, manages } = props;
  return renderBuildTab({
    frame,
    head,
    build,
    tab: 'provenance',
    documentTitle: t.titleOf({ revision: build.revision }),
    line: t.line,
    done: props.done,
    forms: manages,
    children: (
      <div class="stack">
        {provenance.agrees === false && (
          <Callout tone="warning" title={t.commit.differs} sentences={[t.commit.differsLine]} />
        )}
        <FileSection build={build} />
        {provenance.apk && <ApkSection build={build} apk={provenance.apk} />}
        <CommitSection provenance={provenance} />
        <section aria-labelledby="attestations">
          <h2 id="attestations">{t.attestations}</h2>
          {provenance.attestations.length === 0 ? (
            <p class="soft">{t.none}</p>
          ) : (
            provenance.attestations.map((one) => (
              <AttestationFactsList key={one.id} attestation={one} now={frame.now} />
            ))
          )}
        </section>
        {manages && <AttachForm {...props} />}
      </div>
    ),
  });
}

function FileSection({ build }: { build: Build }) {
  return (
    <section aria-labelledby="file">
      <h2 id="file">{t.file}</h2>
      <Facts
        facts={[
          { label: t.size, value: formatBytes(build.sizeBytes) },
          { label: t.sha256, value: <InlineCode text={build.sha256} /> },
        ]}
      />
    </section>
  );
}

function ApkSection({ build, apk }: { build: Build; apk: NonNullable<Provenance['apk']> }) {
  return (
    <section aria-labelledby="apk">
      <h2 id="apk">{t.apk.title}</h2>
      <p class="hint lead-hint">{t.apk.line}</p>
      <Facts
        facts={[
          { label: t.sha256, value: <InlineCode text={apk.sha256} /> },
          { label: t.apk.madeFrom, value: <InlineCode text={build.sha256} /> },
          { label: t.apk.key, value: apk.keySha256 && <InlineCode text={apk.keySha256} /> },
        ]}
      />
    </section>
  );
}

function CommitSection({ provenance }: { provenance: Provenance }) {
  const { statedCommit, packageCommit, attestations } = provenance;
  const attested = [...new Set(attestations.flatMap(({ facts }) => facts.commit ?? []))];
  const code = (commit: string | null) => commit && <InlineCode text={commit} />;
  const isUnknown = statedCommit === null && packageCommit === null && attested.length === 0;
  return (
    <section aria-labelledby="commit">
      <h2 id="commit">{t.commit.title}</h2>
      {isUnknown && <p class="soft">{t.commit.none}</p>}
      <Facts
        facts={[
          { label: t.commit.stated, value: code(statedCommit) },
          { label: t.commit.inPackage, value: code(packageCommit) },
          ...attested.map((commit) => ({ label: t.commit.attested, value: code(commit) })),
        ]}
      />
    </section>
  );
}

function AttestationFactsList({ attestation, now }: { attestation: Attestation; now: number }) {
  const { facts, attachedAt, attachedBy } = attestation;
  const words = t.facts;
  return (
    <>
      <p>
        <Badge tone="good">{t.verified}</Badge>
      </p>
      <Facts
        facts={[
          { label: words.signer, value: <Address address={facts.signer} /> },
          { label: words.issuer, value: facts.issuer && <bdi>{facts.issuer}</bdi> },
          { label: words.repository, value: <Address address={facts.repository} /> },
          { label: words.ref, value: facts.ref && <InlineCode text={facts.ref} /> },
          { label: words.commit, value: facts.commit && <InlineCode text={facts.commit} /> },
          { label: words.runUrl, value: <Address address={facts.runUrl} /> },
          { label: words.subjectName, value: facts.subjectName && <bdi>{facts.subjectName}</bdi> },
          { label: words.predicateType, value: <bdi>{facts.predicateType}</bdi> },
          { label: words.signedAt, value: <Timestamp at={facts.signedAt} now={now} exact /> },
          { label: words.root, value: t.roots[facts.root] },
          {
            label: words.attached,
            value: words.attachedBy({ time: timeOf(attachedAt, now), user: attachedBy }),
          },
        ].map((fact) => ({ ...fact, value: fact.value === false ? null : fact.value }))}
      />
    </>
  );
}

/** Links a web address; shows any other identity as text. */
function Address({ address }: { address: string | null }) {
  if (address === null) return null;
  const link = safeLink(address);
  return link === null ? (
    <bdi>{address}</bdi>
  ) : (
    <a href={link} rel="noreferrer">
      <bdi>{address}</bdi>
    </a>
  );
}

function AttachForm({ frame, head, build, error }: ProvenancePageProps) {
  const words = t.attach;
  return (
    <FormSection
      frame={frame}
      id="attach"
      title={words.title}
      line={words.line}
      action={`${provenancePath(head.app, build.revision)}/attach`}
      button={words.button}
      hasFile
    >
      <FileField
        id={attestationField}
        label={words.file}
        hint={words.hint({ limit: maxAttestationBytes / 1024 })}
        errors={error ? [error] : []}
        accept=".json,.jsonl,application/json"
        required
      />
    </FormSection>
  );
}
