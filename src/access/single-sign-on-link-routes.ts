import type { FastifyReply, FastifyRequest } from 'fastify';
import { conflict, invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { singleSignOnTexts } from '../web/single-sign-on-texts.ts';
import { confirmIdentityPath, identitiesPath, profilePath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { provesOwnPassword } from './own-password.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';
import type { ProvenIdentity } from './single-sign-on-cookie-http.ts';
import { renderConfirmIdentityPage } from './single-sign-on-page.tsx';
import type { SingleSignOnParts } from './single-sign-on-parts-http.ts';

type Required = () => SingleSignOnParts;

/** Linking what the provider has proven to the account that is signed in, and unlinking it. */
export function linkIdentityRoutes(parts: AccountParts, required: Required): RouteModule {
  return (server) => {
    server.get(confirmIdentityPath, async (request, reply) => {
      const found = await findProven(parts, required, request, reply);
      return found ? answerConfirm(parts, request, reply, found, []) : reply;
    });
    server.post(confirmIdentityPath, async (request, reply) => {
      const found = await findProven(parts, required, request, reply);
      return found ? confirm(parts, request, reply, found) : reply;
    });
    server.post(identitiesPath, async (request, reply) => {
      const signOn = required();
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? unlink(parts, signOn, request, reply, person) : reply;
    });
  };
}

/**
 * The provider has proven an identity to somebody who wants to link it: leads to the question whether to. Answers what
 * stands in the way, or null when the reply is sent.
 */
export async function offerLink(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenIdentity,
): Promise<'stale' | 'taken' | null> {
  const caller = await parts.frames.callerOrNobody(request);
  const user = caller?.sessionToken && caller.actor.kind === 'user' ? caller.actor.user : null;
  if (user?.id !== proven.linkFor) return 'stale';
  const { issuer, subject } = proven.identity;
  const holder = await parts.data.identities.findUserOfIdentity(issuer, subject);
  if (holder?.id === user.id) {
    await reply.redirect(`${profilePath}?done=linked`, 303);
    return null;
  }
  const linked = await parts.data.identities.listIdentities(user.id);
  if (holder || linked.some((one) => one.issuer === issuer)) return 'taken';
  signOn.cookies.proven.keep(request, reply, proven);
  await reply.redirect(confirmIdentityPath, 303);
  return null;
}

interface FoundProven {
  signOn: SingleSignOnParts;
  person: Person;
  identity: ProviderIdentity;
}

/** Null when nobody is signed in, and the reply is sent. Throws `not_found` when this browser has nothing to confirm. */
async function findProven(
  parts: AccountParts,
  required: Required,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FoundProven | null> {
  const signOn = required();
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return null;
  const proven = signOn.cookies.proven.read(request);
  if (proven?.linkFor !== person.actor.user.id) throw new NotFound('there is nothing to confirm any more');
  return { signOn, person, identity: proven.identity };
}

/** A session alone must not open a lasting way in. */
async function asksPassword(parts: AccountParts, person: Person): Promise<boolean> {
  if (!parts.passwords) return false;
  const account = await parts.data.accounts.findAccount(person.actor.user.id);
  return account?.passwordHash != null;
}

async function answerConfirm(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { signOn, person, identity }: FoundProven,
  passwordFaults: readonly string[],
) {
  const html = renderConfirmIdentityPage({
    frame: parts.frames.of(request, person),
    provider: signOn.name,
    label: identity.label,
    userName: person.actor.user.name,
    asksPassword: await asksPassword(parts, person),
    passwordFaults,
  });
  return parts.frames.send(passwordFaults.length > 0 ? reply.code(400) : reply, html);
}

async function confirm(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  found: FoundProven,
) {
  const { signOn, person, identity } = found;
  const form = readSessionForm(person, request.body);
  const { user } = person.actor;
  if ((await asksPassword(parts, person)) && !(await provesOwnPassword(parts, user, form.text('password')))) {
    return answerConfirm(parts, request, reply, found, [accountTexts.password.wrong]);
  }
  await signOn.people.link(user, identity);
  signOn.cookies.clear(request, reply);
  return reply.redirect(`${profilePath}?done=linked`, 303);
}

async function unlink(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
) {
  const form = readSessionForm(person, request.body);
  if (form.text('act') !== 'unlink') throw invalid('the form asks for nothing that is known here');
  const { user } = person.actor;
  const stays = await whyIdentityStays(parts, user.id);
  if (stays !== null) throw conflict(stays);
  const identity = { issuer: form.text('issuer'), subject: form.text('subject') };
  if (!(await signOn.people.unlink(user, identity))) throw new NotFound('it is not linked');
  return reply.redirect(`${profilePath}?done=unlinked`, 303);
}

/** Null when the person has another way in. */
export async function whyIdentityStays(
  { data, passwords }: Pick<AccountParts, 'data' | 'passwords'>,
  userId: string,
): Promise<string | null> {
  if (!passwords) return singleSignOnTexts.section.always;
  const account = await data.accounts.findAccount(userId);
  return account?.passwordHash == null ? singleSignOnTexts.section.onlyWay : null;
}
