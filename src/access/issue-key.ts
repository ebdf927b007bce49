/** Issues API keys: the key itself is answered once and never kept. */
import type { Data, DataQueries } from '../data.ts';
import { conflict, invalid, NotFound } from '../errors.ts';
import type { AuditEntry } from '../owners/audit-queries.ts';
import type { Owner } from '../owners/owner.ts';
import { accountTexts } from '../web/account-texts.ts';
import {
  type ApiKey,
  hashApiKey,
  hintOf,
  maxKeyLength,
  minimumChosenKeyLength,
  newApiKey,
} from './api-key.ts';
import { tellPerson } from './notice.ts';

export interface KeyRequest {
  ownerName: string;
  ownerKind: 'user' | 'project';
  name: string;
  expiresAt: number | null;
  /** A key chosen by the operator instead of a random one. */
  chosenKey?: string;
  by: AuditEntry['actor'];
  /** False for the key that is created with an account: nobody gains access to anything that existed before. */
  notify?: false;
}

export type IssueKey = (request: KeyRequest) => Promise<{ key: string; record: ApiKey }>;

export const maxKeyNameLength = 255;
/** That work, for one Owner. */
export const maxKeysOfOwner = 100;

export function createIssueKey(parts: {
  data: Data;
  now: () => number;
  /** Absent in commands: a server that runs finds the job by itself. */
  wakeOutbox?: () => void;
}): IssueKey {
  return async (request) => {
    const owner = await parts.data.owners.findOwner(request.ownerName);
    if (owner?.kind !== request.ownerKind)
      throw new NotFound(`there is no ${request.ownerKind} ${request.ownerName}`);
    if (request.name.length > maxKeyNameLength)
      throw invalid(`a key's name has at most ${maxKeyNameLength} characters`);
    const key = request.chosenKey === undefined ? newApiKey() : checkChosenKey(request.chosenKey);
    const createdAt = parts.now();
    const issue = () =>
      parts.data.transaction(async (inside) => {
        if ((await inside.access.countUsableKeys(owner.id, createdAt)) >= maxKeysOfOwner)
          throw conflict(accountTexts.keys.faults.full(maxKeysOfOwner));
        const record = await inside.access.insertKey({
          ownerId: owner.id,
          name: request.name,
          keyHash: hashApiKey(key),
          hint: hintOf(key),
          createdAt,
          expiresAt: request.expiresAt,
        });
        const entry = {
          at: createdAt,
          actor: request.by,
          action: 'key.issued',
          ownerId: owner.id,
          subject: request.name,
        };
        await inside.audit.record(entry);
        if (request.notify !== false)
          await tellOwners(inside, owner, {
            at: createdAt,
            subject: `${request.name} (${record.hint}…)`.trim(),
          });
        return { key, record };
      });
    const issued = await parts.data.refuseDuplicate(issue, () => invalid('this key is in use already'));
    if (request.notify !== false) parts.wakeOutbox?.();
    return issued;
  };
}

/** A key outlives the session that created it: the person is emailed, or everyone in the Project's owner team. */
async function tellOwners(
  inside: DataQueries,
  owner: Owner,
  about: { at: number; subject: string },
): Promise<void> {
  if (owner.kind === 'user') return tellPerson(inside, 'key-created', { ...about, userId: owner.id });
  for (const { user, teams } of await inside.owners.listMembers(owner.id)) {
    if (!teams.includes('owner')) continue;
    await tellPerson(inside, 'project-key-created', { ...about, userId: user.id, project: owner.name });
  }
}

/** Checks a key that the operator chose; throws `invalid`. */
export function checkChosenKey(key: string): string {
  if (key.length >= minimumChosenKeyLength && key.length <= maxKeyLength && /^[\x21-\x7e]+$/.test(key))
    return key;
  throw invalid(`a key has ${minimumChosenKeyLength} to ${maxKeyLength} characters and no spaces`);
}
