import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { localPath } from '../web/safe-address.ts';
import { passwordPath, signInPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { isEmailAddress } from './email-address.ts';
import { faultsOfNewPassword } from './new-password.ts';
import { provesOwnPassword } from './own-password.ts';
import { passwordMatches } from './password.ts';
import {
  type PasswordPageProps,
  renderPasswordPage,
  renderWelcomePage,
  type WelcomePageProps,
} from './password-page.tsx';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';

interface WelcomeAddress {
  Querystring: { to?: unknown };
}

const words = accountTexts.password;

/** Changing the password: when I want to, and when I have to. */
export function passwordRoutes(parts: AccountParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { done?: unknown } }>(passwordPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const done = request.query.done === 'changed' ? words.changed : null;
      return answerPassword(parts, request, reply, person, { done });
    });
    server.post(passwordPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? changePassword(parts, request, reply, person) : reply;
    });
    server.get<WelcomeAddress>('/welcome', async (request, reply) => {
      const newcomer = await parts.identify.newcomer(request);
      if (!newcomer) return leadOn(parts, request, reply);
      return answerWelcome(parts, request, reply, newcomer, {});
    });
    server.post<WelcomeAddress>('/welcome', async (request, reply) => {
      const newcomer = await parts.identify.newcomer(request);
      if (!newcomer) return leadOn(parts, request, reply);
      return welcome(parts, request, reply, newcomer);
    });
  };
}

async function answerPassword(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  changes: Partial<Pick<PasswordPageProps, 'faults' | 'done'>>,
) {
  const account = await parts.data.accounts.findAccount(person.actor.user.id);
  const html = renderPasswordPage({
    frame: parts.frames.of(request, person),
    hasPassword: account?.passwordHash != null,
    faults: {},
    done: null,
    ...changes,
  });
  return parts.frames.send(changes.faults ? reply.code(400) : reply, html);
}

async function changePassword(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
) {
  const form = readSessionForm(person, request.body);
  const { user } = person.actor;
  const current = form.text('current');
  const password = form.text('password');
  const refuse = (faults: PasswordPageProps['faults']) =>
    answerPassword(parts, request, reply, person, { faults });
  const faults = faultsOfNewPassword(password, form.text('again'), [user.name, user.email]);
  if (faults) return refuse(faults);
  if (!(await provesOwnPassword(parts, { user, sessionToken: person.sessionToken }, current)))
    return refuse({ current: [words.wrong] });
  if (password === current) return refuse({ password: [words.unchanged] });
  await parts.setPassword({ user, password, mustChange: false, by: person.actor });
  return parts.startSession(request, reply, {
    ...{ userId: user.id, to: `${passwordPath}?done=changed`, way: null },
  });
}

/** For everybody but newcomers there is nothing to do. */
async function leadOn(parts: AccountParts, request: FastifyRequest<WelcomeAddress>, reply: FastifyReply) {
  const caller = await parts.frames.callerOrNobody(request);
  const to = targetOf(request) ?? '/';
  return reply.redirect(caller?.sessionToken ? to : signInPath(to), 303);
}

function targetOf(request: FastifyRequest<WelcomeAddress>): string | null {
  return localPath(typeof request.query.to === 'string' ? request.query.to : null);
}

function answerWelcome(
  parts: AccountParts,
  request: FastifyRequest<WelcomeAddress>,
  reply: FastifyReply,
  { actor: { user }, sessionToken }: Person,
  changes: Partial<Pick<WelcomePageProps, 'faults' | 'email'>>,
) {
  const html = renderWelcomePage({
    frame: parts.frames.of(request, { actor: { kind: 'user', user }, sessionToken }),
    to: targetOf(request),
    email: asksEmail(user) ? '' : null,
    tellsAddress: user.administrator && parts.publicUrl === null,
    faults: {},
    ...changes,
  });
  return parts.frames.send(changes.faults ? reply.code(400) : reply, html);
}

/** Whom the settings made; everybody else was given an address by somebody, or asks for it by a letter. */
const asksEmail = (user: Person['actor']['user']) => user.administrator && user.email === null;

async function welcome(
  parts: AccountParts,
  request: FastifyRequest<WelcomeAddress>,
  reply: FastifyReply,
  newcomer: Person,
) {
  const form = readSessionForm(newcomer, request.body);
  const { user } = newcomer.actor;
  const password = form.text('password');
  const email = asksEmail(user) ? form.text('email').trim() : '';
  const refuse = (faults: WelcomePageProps['faults']) =>
    answerWelcome(parts, request, reply, newcomer, { faults, ...(asksEmail(user) ? { email } : {}) });
  const faults = faultsOfNewPassword(password, form.text('again'), [user.name, email || user.email]);
  if (faults) return refuse(faults);
  if (email !== '' && !isEmailAddress(email)) return refuse({ email: [accountTexts.signUp.emailFault] });
  const account = await parts.data.accounts.findAccount(user.id);
  if (await passwordMatches(account?.passwordHash ?? null, password))
    return refuse({ password: [words.unchanged] });
  const unusable = () => new AppError('conflict', accountTexts.profile.unusable);
  try {
    await parts.data.refuseDuplicate(
      () =>
        parts.setPassword({
          ...{ user, password, mustChange: false, by: newcomer.actor, expected: true },
          first: async (inside) => email === '' || inside.accounts.setEmail(user.id, email, null, false),
        }),
      unusable,
    );
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return refuse({ email: [accountTexts.profile.unusable] });
  }
  return parts.startSession(request, reply, { userId: user.id, to: targetOf(request), way: null });
}
