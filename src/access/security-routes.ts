import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, Forbidden, invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { securityTexts } from '../web/security-texts.ts';
import { newPasskeyOptionsPath, securityPath } from './account-addresses.ts';
import { proofKindOf, provesSelf } from './own-proof.ts';
import { relyingPartyOf } from './passkey.ts';
import type { CeremonyPlace } from './passkey-ceremony.ts';
import { checkPasskeyName, type NewCodes } from './second-factor-changes.ts';
import type { SecurityParts } from './security-area-routes.ts';
import { renderSecurityPage, type SecurityPageProps } from './security-page.tsx';
import { type SecurityVisit, securityVisit } from './security-person-http.ts';
import { hashSessionToken } from './session.ts';
import { type FormFields, type Person, readSessionForm } from './session-form-http.ts';
import { readBrowserWords } from './user-agent-words.ts';

const words = securityTexts;
const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['app-off', words.app.off],
  ['passkey-added', words.passkeys.added],
  ['passkey-renamed', words.passkeys.renamed],
  ['passkey-removed', words.passkeys.removed],
]);

/** My second factors. */
export function securityRoutes(parts: SecurityParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { done?: unknown } }>(securityPath(null), async (request, reply) => {
      const visit = await securityVisit(parts, request, reply);
      if (!visit) return reply;
      const done = doneSentences.get(request.query.done) ?? null;
      return answerSecurity(parts, request, reply, visit, { done });
    });
    server.post(securityPath(null), async (request, reply) => {
      const visit = await securityVisit(parts, request, reply);
      return visit ? change(parts, request, reply, visit) : reply;
    });
    server.post(newPasskeyOptionsPath, async (request, reply) => {
      const visit = await securityVisit(parts, request, reply);
      if (!visit) return reply;
      const { person } = visit;
      const form = readSessionForm(person, request.body);
      checkPasskeyName(form.text('name'));
      await requireProof(parts, person, form);
      const { user } = person.actor;
      const known = await parts.data.secondFactors.listPasskeys(user.id);
      const asked = parts.ceremonies.askForNew(placeOf(parts, request, person), user, known);
      return reply.header('Cache-Control', 'no-store').send(asked);
    });
  };
}

export async function answerSecurity(
  parts: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: SecurityVisit,
  changes: Partial<Pick<SecurityPageProps, 'done' | 'fault'>> & { codes?: NewCodes },
) {
  const { person, to } = visit;
  const { user } = person.actor;
  const frame = parts.frames.of(request, person);
  const factors = await parts.secondFactors.of(user.id);
  const { browser, system } = readBrowserWords(request.headers['user-agent'] ?? '');
  const html = renderSecurityPage({
    frame,
    factors,
    passkeys: await parts.data.secondFactors.listPasskeys(user.id),
    canHavePasskeys: relyingPartyOf(frame.origin) !== null,
    proof: await proofKindOf(parts, user.id),
    suggestedName: [browser, system].filter((word) => word !== null).join(', '),
    // What was asked for may have been done just now.
    required: visit.required && !factors.any,
    to: visit.required ? to : null,
    goOn: visit.required && factors.any ? (to ?? '/') : null,
    done: null,
    codes: null,
    fault: null,
    ...changes,
  });
  return parts.frames.send(changes.fault ? reply.code(400) : reply, html);
}

async function change(
  parts: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: SecurityVisit,
) {
  const { person, to } = visit;
  const form = readSessionForm(person, request.body);
  const act = form.text('act');
  try {
    const result = await changeFactors(parts, request, person, act, form);
    if (typeof result !== 'string') return await answerSecurity(parts, request, reply, visit, result);
    const separator = to === null || to === '/' ? '?' : '&';
    return reply.redirect(`${securityPath(to)}${separator}done=${result}`, 303);
  } catch (error) {
    const isRefusal = error instanceof AppError && ['invalid', 'conflict', 'forbidden'].includes(error.kind);
    if (!isRefusal) throw error;
    const fault = { act, passkey: form.optional('passkey'), sentence: error.message };
    return answerSecurity(parts, request, reply, visit, { fault });
  }
}

/** Answers which sentence says what was done, or what the page shows that once. */
async function changeFactors(
  parts: SecurityParts,
  request: FastifyRequest,
  person: Person,
  act: string,
  form: FormFields,
): Promise<string | { done: string; codes: NewCodes }> {
  const { user } = person.actor;
  const { changes } = parts;
  const change = { user, keep: hashSessionToken(person.sessionToken) };
  if (act === 'rename-passkey') {
    await changes.renamePasskey(user, form.text('passkey'), form.text('name'));
    return 'passkey-renamed';
  }
  if (act === 'add-passkey') {
    const answer = { ticket: form.text('ticket'), credential: form.text('credential') };
    // The ticket is given out for a proof alone.
    const passkey = await parts.ceremonies.readNew(placeOf(parts, request, person), user.id, answer);
    const { codes } = await changes.addPasskey({ ...change, passkey, name: form.text('name') });
    return codes ? { done: words.passkeys.added, codes } : 'passkey-added';
  }
  if (!['app-off', 'remove-passkey', 'make-codes'].includes(act))
    throw invalid('the form asks for nothing that is known here');
  await requireProof(parts, person, form);
  if (act === 'app-off') {
    await changes.switchOffApp(change);
    return 'app-off';
  }
  if (act === 'remove-passkey') {
    await changes.removePasskey({ ...change, id: form.text('passkey') });
    return 'passkey-removed';
  }
  return { done: words.codes.made, codes: await changes.makeRecoveryCodes(user) };
}

/** Throws `forbidden`. */
async function requireProof(parts: SecurityParts, person: Person, form: FormFields): Promise<void> {
  const { user } = person.actor;
  const proof = form.optional('proof') ?? '';
  if (await provesSelf(parts, { user, sessionToken: person.sessionToken }, proof)) return;
  throw new Forbidden(words.proof.wrong[await proofKindOf(parts, user.id)]);
}

function placeOf(parts: SecurityParts, request: FastifyRequest, person: Person): CeremonyPlace {
  const origin = parts.originOf(request);
  const relyingParty = relyingPartyOf(origin);
  if (relyingParty === null) throw new NotFound();
  return { origin, relyingParty, boundTo: person.sessionToken };
}
