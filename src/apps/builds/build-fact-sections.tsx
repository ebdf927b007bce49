/** All facts about a build, by subject. */
import type { PackageInfo, SignatureVerification } from '../../packages/package-info.ts';
import { type Fact, Facts } from '../../web/components/facts.tsx';
import type { Build } from '../app.ts';
import { NameList } from '../testers/name-list.tsx';
import { FileFacts, OriginFacts, PackageFacts, ProfileFacts, SigningFactsList } from './build-facts.tsx';
import { buildTexts } from './build-texts.ts';

export function BuildFacts(props: { build: Build; verification: SignatureVerification | null; now: number }) {
  const { build, verification, now } = props;
  const { info } = build;
  const { android, ios } = info;
  return (
    <>
      <section aria-labelledby="origin">
        <h2 id="origin">{buildTexts.build.origin}</h2>
        <OriginFacts build={build} now={now} />
      </section>
      <section aria-labelledby="package">
        <h2 id="package">{buildTexts.build.package}</h2>
        <PackageFacts info={info} />
      </section>
      <section aria-labelledby="signing" id="build-signing" data-live-part="">
        <h2 id="signing">{buildTexts.build.signing}</h2>
        {build.apk && <p class="hint lead-hint">{buildTexts.signedHere}</p>}
        <SigningFactsList info={info} verification={verification} />
      </section>
      {ios?.profile && (
        <section aria-labelledby="profile">
          <h2 id="profile">{buildTexts.build.profile}</h2>
          <ProfileFacts ios={ios} now={now} />
        </section>
      )}
      {android && <NameList title={buildTexts.build.permissions} names={android.permissions} />}
      {android && <NameList title={buildTexts.build.features} names={featureNames(android.features)} />}
      <Labels info={info} />
      <section aria-labelledby="file" id="build-file" data-live-part="">
        <h2 id="file">{buildTexts.build.file}</h2>
        <FileFacts build={build} />
      </section>
    </>
  );
}

function featureNames(features: readonly { name: string; required: boolean }[]): string[] {
  return features.map(({ name, required }) => (required ? buildTexts.facts.requiredFeature({ name }) : name));
}

function Labels({ info }: { info: PackageInfo }) {
  const facts: Fact[] = Object.entries(info.labels)
    .filter(([tag]) => tag !== '')
    .map(([tag, label]) => ({ label: tag, value: <bdi>{label}</bdi> }));
  if (facts.length === 0) return null;
  return (
    <details class="names-fold">
      <summary>
        {buildTexts.build.languages} <span class="count">{facts.length}</span>
      </summary>
      <Facts facts={facts} />
    </details>
  );
}
