/** `slipway audit verify`, `export` and `reseal`. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { firstLink } from '../../audit/audit-chain.ts';
import { auditChainQueries } from '../../audit/audit-chain-queries.ts';
import { auditLine } from '../../audit/audit-line.ts';
import { createAuditChain, sealAll } from '../../audit/seal-entries.ts';
import { type FoundProblem, verifyChain, verifyCopy } from '../../audit/verify-chain.ts';
import type { Config } from '../../config.ts';
import { unavailable } from '../../core/errors.ts';
import { findSecret } from '../../core/secret.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { type CommandIo, print } from '../command-io.ts';
import { writeLines } from '../terminal-text.ts';
import { withData } from '../with-data.ts';

export interface AuditRange {
  from?: number;
  to?: number;
}

const linesAtOnce = 500;

async function chainOf(config: Config) {
  const secret = await findSecret(config);
  if (secret === null)
    throw unavailable('the secret of the server is not here: run the command where the server runs');
  return createAuditChain(secret);
}

const problemTexts: Readonly<Record<FoundProblem['problem'], string>> = {
  changed: 'the entry was changed',
  deleted: 'the entry was deleted by hand',
  inserted: 'the entry was inserted by hand',
  backdated: 'the entry is more than an hour older than entries before it',
  gap: 'a seal is missing',
  chain: 'the seal does not follow the one before it',
  signature: 'the chain is not the one that this installation signed',
  line: 'the line was changed',
  differs: 'the database has another entry at this number, or none',
};

/** Resolves to the exit code: 1 if a problem was found. */
export async function runAuditVerify(
  io: CommandIo,
  options: AuditRange & { file?: string; json?: boolean },
): Promise<number> {
  const json = options.json ?? false;
  return withData(io, async ({ config, data }) => {
    const chain = await chainOf(config);
    const verified = await verifyChain(data, chain, options);
    const { problems, head, ...counts } = verified;
    const facts = { ...counts, sequence: head.seq, hash: head.hash, problems };
    const range = `${counts.entries} entries, ${counts.removed} removed by retention, ${counts.erased} with an erased person`;
    print(io, json, facts, `Verified: ${range}; ${counts.unsealed} not sealed yet.`);
    if (!json && head.seq > 0) writeLines(io.stdout, `Newest seal: ${head.seq} ${head.hash}`);
    let found = problems;
    if (options.file !== undefined) {
      const lines = createInterface({
        input: createReadStream(options.file),
        crlfDelay: Number.POSITIVE_INFINITY,
      });
      const copy = await verifyCopy(data, lines);
      const words = `${copy.lines} lines, ${copy.repeated} repeated, ${copy.incomplete} incomplete`;
      print(
        io,
        json,
        { file: options.file, ...copy },
        `${options.file}: ${words}, entries ${copy.first ?? 0} to ${copy.last ?? 0}.`,
      );
      found = [...problems, ...copy.problems];
    }
    if (!json)
      for (const { problem, seq, about } of found)
        writeLines(
          io.stderr,
          `${seq === null ? '' : `${seq}: `}${problemTexts[problem]}${about ? ` (${about})` : ''}`,
        );
    return found.length > 0 ? 1 : 0;
  });
}

/** Prints sealed entries as the stream contains them. */
export async function runAuditExport(
  io: CommandIo,
  { from = 1, to = Number.MAX_SAFE_INTEGER }: AuditRange,
): Promise<void> {
  await withData(io, async ({ config, data }) => {
    await sealAll(data, await chainOf(config));
    const queries = auditChainQueries(data);
    const before =
      (await queries.findSeal(from - 1))?.hash ?? (await queries.readFact('audit-start'))?.split(' ')[1];
    let previous = { seq: from - 1, hash: before ?? firstLink.hash };
    for (;;) {
      const seals = (await queries.listSealed(previous.seq, linesAtOnce)).filter(({ seq }) => seq <= to);
      for (const seal of seals) {
        writeLines(io.stdout, auditLine(seal, previous.hash));
        previous = seal;
      }
      if (seals.length < linesAtOnce) return;
    }
  });
}

/** Starts a new chain with all entries, after the secret was lost or the chain was damaged. The new chain says so. */
export async function runAuditReseal(io: CommandIo, options: { json?: boolean }): Promise<void> {
  await withData(io, async ({ config, data, now }) => {
    const chain = await chainOf(config);
    await data.transaction(async (tx) => {
      await auditChainQueries(tx).forgetChain();
      await auditQueries(tx).record({
        at: now(),
        actor: 'command-line',
        action: 'audit.resealed',
        ownerId: null,
        subject: '',
      });
    });
    const entries = await sealAll(data, chain);
    print(io, options.json ?? false, { entries }, `Sealed ${entries} entries again.`);
  });
}
