import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Owner } from '../owners/owner.ts';
import { accountTexts } from '../web/account-texts.ts';
import { ownKeysPath, projectKeysPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { isUsable } from './api-key.ts';
import { freshKey, readKeyRequest } from './key-request.ts';
import { type KeysPageProps, renderKeysPage } from './keys-page.tsx';
import { managerOrSignIn } from './managed-project-http.ts';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';

interface KeysAddress {
  Querystring: { done?: unknown };
}

interface ProjectKeysAddress extends KeysAddress {
  Params: { owner: string };
}

const words = accountTexts.keys;
const newKeys = { most: 30, windowMs: 60 * 60_000, refusal: words.faults.tooMany };
/** The newest of those that no longer work. */
const endedOnPage = 50;

/** API keys: my own, and those of a Project for its owner team. */
export function keyRoutes(parts: AccountParts): RouteModule {
  return (server) => {
    server.get<KeysAddress>(ownKeysPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      return answerKeys(parts, request, reply, { person, owner: person.actor.user }, {});
    });
    server.post<KeysAddress>(ownKeysPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      return changeKeys(parts, request, reply, { person, owner: person.actor.user });
    });
    server.get<ProjectKeysAddress>('/organizations/:owner/keys', async (request, reply) => {
      const known = await managerOrSignIn(parts, request, reply);
      if (!known) return reply;
      return answerKeys(parts, request, reply, { person: known.person, owner: known.project }, {});
    });
    server.post<ProjectKeysAddress>('/organizations/:owner/keys', async (request, reply) => {
      const known = await managerOrSignIn(parts, request, reply);
      if (!known) return reply;
      return changeKeys(parts, request, reply, { person: known.person, owner: known.project });
    });
  };
}

interface Whose {
  person: Person;
  owner: Owner;
}

const pathOf = (owner: Owner) => (owner.kind === 'user' ? ownKeysPath : projectKeysPath(owner.name));

async function answerKeys(
  parts: AccountParts,
  request: FastifyRequest<KeysAddress>,
  reply: FastifyReply,
  { person, owner }: Whose,
  changes: Partial<Pick<KeysPageProps, 'typed' | 'faults' | 'made'>>,
) {
  const frame = parts.frames.of(request, person);
  const keys = (await parts.data.access.listKeys(owner.id)).reverse();
  const ended = keys.filter((key) => !isUsable(key, frame.now));
  const isPlain = Object.keys(changes).length === 0;
  const html = renderKeysPage({
    frame,
    owner,
    address: pathOf(owner),
    usable: keys.filter((key) => isUsable(key, frame.now)),
    ended: ended.slice(0, endedOnPage),
    moreEnded: ended.length > endedOnPage,
    typed: freshKey,
    faults: {},
    made: null,
    done: isPlain && request.query.done === 'revoked' ? words.revoked : null,
    ...changes,
  });
  return parts.frames.send(changes.faults ? reply.code(400) : reply, html);
}

async function changeKeys(
  parts: AccountParts,
  request: FastifyRequest<KeysAddress>,
  reply: FastifyReply,
  whose: Whose,
) {
  const { person, owner } = whose;
  const form = readSessionForm(person, request.body);
  const act = form.text('act');
  if (act === 'revoke') {
    await revokeKey(parts, whose, form.text('key'));
    return reply.redirect(`${pathOf(owner)}?done=revoked`, 303);
  }
  if (act !== 'make') throw invalid('the form asks for nothing that is known here');
  const typed = {
    name: form.text('name'),
    expires: form.text('expires'),
    until: form.optional('until') ?? '',
  };
  const wanted = readKeyRequest(typed, parts.now());
  if ('faults' in wanted) return answerKeys(parts, request, reply, whose, { typed, faults: wanted.faults });
  await parts.attempts.count(['new key', person.actor.user.id], newKeys);
  try {
    const made = await parts.issueKey({
      ...{ ownerName: owner.name, ownerKind: owner.kind, by: person.actor },
      ...wanted,
    });
    return await answerKeys(parts, request, reply, whose, { made });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return answerKeys(parts, request, reply, whose, { typed, faults: { name: [error.message] } });
  }
}

/** One that is not there, or was revoked before, stays as it is. */
async function revokeKey(parts: AccountParts, { person, owner }: Whose, keyId: string): Promise<void> {
  const at = parts.now();
  await parts.data.transaction(async (inside) => {
    const revoked = await inside.access.revokeKey(owner.id, keyId, at);
    if (!revoked) return;
    const entry = { at, actor: person.actor, action: 'key.revoked', ownerId: owner.id };
    await inside.audit.record({ ...entry, subject: revoked });
  });
}
