import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import type { PageFrame } from '../web/page-frame.ts';
import { singleSignOnTexts } from '../web/single-sign-on-texts.ts';
import { profilePath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { changeEmail } from './change-email.ts';
import { isEmailAddress } from './email-address.ts';
import { emailChangeLifetimeMs } from './letter.ts';
import { provesOwnPassword } from './own-password.ts';
import { type ProfilePageProps, renderEmailChangePage, renderProfilePage } from './profile-page.tsx';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';
import { whyIdentityStays } from './single-sign-on-link-routes.ts';

interface EmailAddress {
  Params: { token: string };
}

const words = accountTexts.profile;
const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['changed', words.changed],
  ['linked', singleSignOnTexts.section.linked],
  ['unlinked', singleSignOnTexts.section.unlinked],
]);
/** Where mail is sent, letters to strangers; where it is not, guesses at who has an account. */
const emailChanges = {
  most: 5,
  windowMs: 24 * 60 * 60_000,
  refusal: 'too many new addresses: try again tomorrow',
};

/** My name and address. */
export function profileRoutes(parts: AccountParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { done?: unknown } }>(profilePath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const done = doneSentences.get(request.query.done) ?? null;
      return answerProfile(parts, request, reply, person, { done });
    });
    server.post(profilePath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? changeAddress(parts, request, reply, person) : reply;
    });
    server.get<EmailAddress>('/settings/email/:token', async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? answerConfirmation(parts, request, reply, person) : reply;
    });
    server.post<EmailAddress>('/settings/email/:token', async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      readSessionForm(person, request.body);
      const email = readConfirmation(parts, request, person);
      if (email === null) throw new NotFound(words.goneTitle);
      await changeEmail(parts, person.actor.user, { email, confirmed: true, by: person.actor });
      return reply.redirect(`${profilePath}?done=changed`, 303);
    });
  };
}

async function answerProfile(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  changes: Partial<Pick<ProfilePageProps, 'email' | 'faults' | 'done'>>,
) {
  const { user } = person.actor;
  const account = await parts.data.accounts.findAccount(user.id);
  const frame = parts.frames.of(request, person);
  const html = renderProfilePage({
    frame,
    name: user.name,
    email: user.email ?? '',
    byLetter: parts.canSendMail,
    hasPassword: account?.passwordHash != null,
    passwords: parts.passwords,
    singleSignOn: await singleSignOnOf(parts, frame, user.id),
    faults: {},
    done: null,
    ...changes,
  });
  return parts.frames.send(changes.faults ? reply.code(400) : reply, html);
}

/** Null where no provider is set. */
async function singleSignOnOf(
  parts: AccountParts,
  frame: PageFrame,
  userId: string,
): Promise<ProfilePageProps['singleSignOn']> {
  const { singleSignOn } = parts;
  if (!singleSignOn) return null;
  const identities = await parts.data.identities.listIdentities(userId);
  const isHere = ({ issuer }: { issuer: string }) => singleSignOn.isIssuer(issuer);
  return {
    ...{ frame, identities, provider: singleSignOn.name },
    mayLink: !identities.some(isHere),
    staysBecause: await whyIdentityStays(parts, userId),
  };
}

async function changeAddress(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
) {
  const form = readSessionForm(person, request.body);
  const { user } = person.actor;
  const email = form.text('email').trim();
  const password = form.text('password');
  const refuse = (faults: ProfilePageProps['faults']) =>
    answerProfile(parts, request, reply, person, { email, faults });
  if (!isEmailAddress(email)) return refuse({ email: [accountTexts.signUp.emailFault] });
  if (email === user.email) return refuse({ email: [words.same] });
  if (!(await provesOwnPassword(parts, { user, sessionToken: person.sessionToken }, password)))
    return refuse({ password: [accountTexts.password.wrong] });
  await parts.attempts.count(['e-mail change', user.id], emailChanges);
  if (parts.canSendMail) {
    const now = parts.now();
    const letter = { about: 'email-change', userId: user.id, email } as const;
    await parts.data.outbox.add({ kind: 'send-letter', letter, until: now + emailChangeLifetimeMs }, now);
    parts.wakeOutbox();
    return answerProfile(parts, request, reply, person, { done: words.asked(email) });
  }
  try {
    await changeEmail(parts, user, { email, confirmed: false, by: person.actor });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return refuse({ email: [words.unusable] });
  }
  return reply.redirect(`${profilePath}?done=changed`, 303);
}

/** The address that the person is to confirm; null when the link is not, or no longer, good for this account. */
function readConfirmation(
  parts: AccountParts,
  request: FastifyRequest<EmailAddress>,
  person: Person,
): string | null {
  const { user } = person.actor;
  const change = parts.emailChanges.read(request.params.token, parts.now());
  return change && change.userId === user.id && change.from === user.email ? change.to : null;
}

function answerConfirmation(
  parts: AccountParts,
  request: FastifyRequest<EmailAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const email = readConfirmation(parts, request, person);
  const html = renderEmailChangePage({
    frame: parts.frames.of(request, person),
    name: person.actor.user.name,
    change: email === null ? null : { token: request.params.token, email },
  });
  return parts.frames.send(email === null ? reply.code(404) : reply, html);
}
