/** Invitations that several people may use: created, shown again and revoked by those who manage the place. */
import { conflict, invalidField, NotFound } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { User } from '../../owners/owner.ts';
import {
  hashInvitationToken,
  type InviteLink,
  type InviteLinkPlace,
  invitationRetentionMs,
} from './invitation.ts';
import { inviteLinkQueries } from './invite-link-queries.ts';
import { inviteLinkTexts } from './invite-link-texts.ts';
import { lockPlace } from './join-place.ts';

export const inviteLinkDays = [1, 7, 30, 90] as const;
export const maxInviteLinkPeople = 500;
export const maxInviteLinkNameLength = 64;
/** Per Project and per app, excluding expired links. */
export const maxInviteLinks = 20;

const dayMs = 24 * 60 * 60_000;

export interface NewInviteLink {
  name: string;
  /** By id, as pages name it, or by name, as programs do. */
  group: { id: string } | { name: string } | null;
  days: (typeof inviteLinkDays)[number];
  maxPeople: number;
}

/** `into.team` only matters for creating a link. */
export interface InviteLinks {
  /** Throws `invalid` for an unknown group, and `conflict` if the place has too many links. Returns the id. */
  create(by: User, into: InviteLinkPlace, link: NewInviteLink): Promise<string>;
  /** Newest first, excluding expired links. */
  list(into: InviteLinkPlace): Promise<InviteLink[]>;
  /**
   * `token`: null if the server secret that derived it is no longer accepted; the link itself still works. Throws
   * `NotFound`.
   */
  find(into: InviteLinkPlace, id: string): Promise<{ link: InviteLink; token: string | null }>;
  /** Throws `NotFound`. */
  revoke(by: User, into: InviteLinkPlace, id: string): Promise<void>;
}

/**
 * The token is derived from the id with the server secret: the link can be shown again, while the database contains
 * only its hash.
 */
export function createInviteLinks(deps: {
  data: Data;
  secret: ServerSecret;
  now: () => number;
}): InviteLinks {
  const { data, now } = deps;
  const signer = createSigner(deps.secret, 'invite link');
  return {
    create: (by, into, link) =>
      data.transaction(async (tx) => {
        await lockPlace(tx, into);
        const at = now();
        const links = inviteLinkQueries(tx);
        await links.deleteExpired(into, at - invitationRetentionMs);
        if ((await links.list(into, at, maxInviteLinks)).length >= maxInviteLinks)
          throw conflict(inviteLinkTexts.full({ limit: maxInviteLinks }));
        const groupId = link.group && (await findGroupId(tx, into, link.group));
        const id = newIdentifier(at);
        await links.insert({
          id,
          tokenHash: hashInvitationToken(signer.sign(id)),
          into,
          name: link.name,
          groupId,
          maxPeople: link.maxPeople,
          invitedBy: by.id,
          createdAt: at,
          expiresAt: at + link.days * dayMs,
        });
        // An administrator who does not own the place can manage it, but not invite to it.
        if (!(await links.find(into, id, at))?.isActive) throw conflict(inviteLinkTexts.forbidden);
        await auditQueries(tx).record({
          at,
          actor: { kind: 'user', user: by },
          action: 'invite-link.created',
          ownerId: ownerIdOf(into),
          subject: `${link.name}: ${into.name}`,
          details: { invitation: id, people: link.maxPeople, days: link.days, group: groupId },
        });
        return id;
      }),
    list: (into) => inviteLinkQueries(data).list(into, now(), maxInviteLinks),
    find: async (into, id) => {
      const found = await inviteLinkQueries(data).find(into, id, now());
      if (!found) throw new NotFound();
      const { tokenHash, ...link } = found;
      const token = signer.accepted(id).find((text) => hashInvitationToken(text) === tokenHash) ?? null;
      return { link, token };
    },
    revoke: (by, into, id) =>
      data.transaction(async (tx) => {
        if (!/^[0-9a-z]{26}$/.test(id)) throw new NotFound();
        const name = await inviteLinkQueries(tx).delete(into, id);
        if (name === null) throw new NotFound();
        await auditQueries(tx).record({
          at: now(),
          actor: { kind: 'user', user: by },
          action: 'invite-link.revoked',
          ownerId: ownerIdOf(into),
          subject: `${name}: ${into.name}`,
          details: { invitation: id },
        });
      }),
  };
}

const ownerIdOf = (into: InviteLinkPlace) => (into.kind === 'app' ? into.ownerId : into.id);

async function findGroupId(
  tx: Connection,
  into: InviteLinkPlace,
  wanted: NonNullable<NewInviteLink['group']>,
): Promise<string> {
  const groups = await groupQueries(tx).listGroups(ownerIdOf(into));
  const found = groups.find(({ id, name }) => ('id' in wanted ? id === wanted.id : name === wanted.name));
  if (!found) throw invalidField('group', inviteLinkTexts.groupMissing);
  return found.id;
}
