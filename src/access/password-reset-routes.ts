import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { networkOf } from './client-network.ts';
import { hashResetToken, passwordResetLifetimeMs } from './letter.ts';
import { faultsOfNewPassword, type NewPasswordFaults } from './new-password.ts';
import { maxLoginLength, renderForgotPage, renderResetPage } from './password-reset-page.tsx';
import { readOpenForm } from './session-form-http.ts';

interface ResetAddress {
  Params: { token: string };
}

const hourMs = 60 * 60_000;
const refusal = accountTexts.forgot.tooMany;
const requestsFromOneAddress = { most: 20, windowMs: hourMs, refusal };
const requestsForOneLogin = { most: 5, windowMs: hourMs, refusal };

/** A way back in for who has forgotten the password: by a letter. */
export function passwordResetRoutes(parts: AccountParts): RouteModule {
  const { frames } = parts;
  const forgot = (request: FastifyRequest, reply: FastifyReply, state: 'ask' | 'sent') => {
    const frame = frames.of(request, null);
    return frames.send(reply, renderForgotPage({ frame, state: parts.canSendMail ? state : 'no-mail' }));
  };
  return (server) => {
    server.get(siteAddresses.forgotPassword, (request, reply) => forgot(request, reply, 'ask'));
    server.post(siteAddresses.forgotPassword, async (request, reply) => {
      const login = readOpenForm(parts.originOf, request).text('login').trim();
      if (login === '' || login.length > maxLoginLength)
        throw invalid(`a login has 1 to ${maxLoginLength} characters`);
      await orderLetter(parts, request, login);
      return forgot(request, reply, 'sent');
    });
    server.get<ResetAddress>('/reset-password/:token', (request, reply) =>
      answerReset(parts, request, reply, {}),
    );
    server.post<ResetAddress>('/reset-password/:token', (request, reply) => reset(parts, request, reply));
  };
}

/** The same work for everybody: whether somebody has that login is found out when the letter is written. */
async function orderLetter(parts: AccountParts, request: FastifyRequest, login: string): Promise<void> {
  if (!parts.canSendMail) return;
  await parts.attempts.count(['forgotten password', 'from', networkOf(request.ip)], requestsFromOneAddress);
  await parts.attempts.count(['forgotten password', 'for', login.toLowerCase()], requestsForOneLogin);
  const now = parts.now();
  const letter = { about: 'password-reset', login } as const;
  await parts.data.outbox.add({ kind: 'send-letter', letter, until: now + passwordResetLifetimeMs }, now);
  parts.wakeOutbox();
}

async function answerReset(
  parts: AccountParts,
  request: FastifyRequest<ResetAddress>,
  reply: FastifyReply,
  faults: NewPasswordFaults,
) {
  const { token } = request.params;
  const known = await parts.data.accounts.findReset(hashResetToken(token), parts.now());
  const html = renderResetPage({
    frame: parts.frames.of(request, null),
    reset: known && { token, userName: known.userName },
    faults,
  });
  const status = known ? (Object.keys(faults).length > 0 ? 400 : 200) : 404;
  return parts.frames.send(reply.code(status), html);
}

/** Whoever has the link has the mailbox, and no more: signing in comes after it. */
async function reset(parts: AccountParts, request: FastifyRequest<ResetAddress>, reply: FastifyReply) {
  const form = readOpenForm(parts.originOf, request);
  const tokenHash = hashResetToken(request.params.token);
  const password = form.text('password');
  const known = await parts.data.accounts.findReset(tokenHash, parts.now());
  const user = known && (await parts.data.owners.findOwnerById(known.userId));
  const about = user?.kind === 'user' ? [user.name, user.email] : [];
  const faults = faultsOfNewPassword(password, form.text('again'), about);
  if (faults || user?.kind !== 'user') return answerReset(parts, request, reply, faults ?? {});
  const done = await parts.setPassword({
    ...{ user, password, mustChange: false, by: { kind: 'user', user } },
    first: (inside) => inside.accounts.takeReset(tokenHash, parts.now()),
  });
  if (!done) return answerReset(parts, request, reply, {});
  return reply.redirect(`${siteAddresses.signIn}?done=password`, 303);
}
