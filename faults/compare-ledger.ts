/** Compares the responses that clients received with the rows. Where a response was lost, the stored state decides. */
import { type BuildState, type Ledger, pageName } from './ledger.ts';
import type { Stored } from './stored-rows.ts';

export function compareLedger(ledger: Ledger, stored: Stored): string[] {
  return [
    ...ledger.wrongAnswers,
    ...acknowledgedFaults(ledger, stored),
    ...unknownFaults(ledger, stored),
    ...pageFaults(ledger, stored),
    ...(stored.sessions < ledger.cookies.length
      ? [`${ledger.cookies.length} sessions were started, but ${stored.sessions} exist`]
      : []),
  ];
}

function acknowledgedFaults(ledger: Ledger, { builds, pages, updates, jobs }: Stored): string[] {
  const byId = new Map(builds.map((build) => [build.id, build]));
  const keyOfPage = new Map(pages.map((page) => [page.id, page.access_key]));
  return [...ledger.builds].flatMap(([id, known]) => {
    const build = byId.get(id);
    const state = stateOf(build);
    const named = `revision ${known.revision} of ${known.packageName}, which was acknowledged,`;
    if (!known.allowed.includes(state)) {
      const owed = jobs.filter(({ buildId }) => buildId === id);
      const facts = JSON.stringify({ at: Date.now(), deletedAt: build?.deleted_at ?? null, owed });
      return [`${named} is ${state} and not ${known.allowed.join(' or ')}: ${facts}`];
    }
    known.allowed = [state];
    if (!build || state === 'gone') return [];
    const { revision, sha256 } = build;
    if (revision !== known.revision || sha256 !== known.sha256) return [`${named} is now a different build`];
    const served = updates.filter((line) => line.build_id === id);
    if (known.page !== null && !served.some((line) => keyOfPage.has(line.page_id)))
      return [`${named} is not in the history of its page`];
    return [];
  });
}

/** Builds of a deleted App are being removed with it. */
function stateOf(build: Stored['builds'][number] | undefined): BuildState {
  if (!build || build.app_deleted_at !== null) return 'gone';
  return build.deleted_at === null ? 'present' : 'hidden';
}

/** An upload without a response is stored completely or not at all; nothing else is stored. */
function unknownFaults(ledger: Ledger, { builds, actions }: Stored): string[] {
  const faults: string[] = [];
  for (const { id, sha256, package_name: name, revision, app_deleted_at } of builds) {
    if (ledger.builds.has(id)) continue;
    const sent = ledger.sent.get(sha256);
    if (app_deleted_at === null && sent !== name)
      faults.push(`no client sent revision ${revision} of ${name}`);
    else if (sent === undefined) faults.push(`no client sent the build ${id}`);
  }
  const uploads = actions.filter(({ action }) => action === 'build.uploaded').length;
  if (uploads < builds.length) faults.push(`${builds.length} builds have ${uploads} lines in the audit log`);
  return faults;
}

function pageFaults(ledger: Ledger, { pages, builds }: Stored): string[] {
  return [...ledger.pages.values()].flatMap((known) => {
    const page = pages.find(
      (one) => pageName(one.package_name, one.name) === pageName(known.packageName, known.name),
    );
    const named = `the page ${known.name} of ${known.packageName}`;
    if (!page) return [`${named} is missing`];
    const revision = builds.find(({ id }) => id === page.build_id)?.revision ?? 0;
    const found = { accessKey: page.access_key, note: page.release_note, revision };
    const match = known.allowed.find(
      (one) =>
        one.note === found.note &&
        (one.revision ?? revision) === revision &&
        (one.accessKey ?? found.accessKey) === found.accessKey,
    );
    if (!match)
      return [`${named} is ${JSON.stringify(found)} instead of one of ${JSON.stringify(known.allowed)}`];
    known.allowed = [found];
    return [];
  });
}
