import type { FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { accountTexts } from '../web/account-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { networkOf } from './client-network.ts';
import { isEmailAddress } from './email-address.ts';
import type { Invitation } from './invitation.ts';
import { faultsOfNewPassword } from './new-password.ts';
import { type FormFields, readOpenForm } from './session-form-http.ts';
import { type NewAccountFormProps, renderSignUpPage } from './sign-up-page.tsx';

const words = accountTexts.signUp;
const hourMs = 60 * 60_000;
/** From one address, and from all together: names and letters cost others something. */
const signUpsFromOneAddress = { most: 20, windowMs: hourMs, refusal: words.tooMany };
const signUpsInAll = { most: 200, windowMs: hourMs, refusal: words.tooMany };
/** An invitation makes one account; whoever has it may look for a name that is free. */
const triesWithOneInvitation = { most: 30, windowMs: hourMs, refusal: words.tooMany };

/** Where the settings allow it, everybody may make an account. */
export function signUpRoutes(parts: AccountParts): RouteModule {
  const { frames } = parts;
  const email = parts.canSendMail ? ('letter' as const) : ('none' as const);
  const address = siteAddresses.signUp;
  const requireOpen = () => {
    if (!parts.signUpOpen) throw new NotFound();
  };
  return (server) => {
    server.get(address, async (request, reply) => {
      requireOpen();
      const caller = await frames.callerOrNobody(request);
      if (caller?.sessionToken) return reply.redirect('/', 303);
      const form = { address, email, typed: { name: '', email: '' }, faults: {} };
      return frames.send(reply, renderSignUpPage({ frame: frames.of(request, null), ...form }));
    });
    server.post(address, async (request, reply) => {
      requireOpen();
      const form = readOpenForm(parts.originOf, request);
      const answer = await makeFromForm(parts, request, form, null);
      if ('userId' in answer) {
        return parts.startSession(request, reply, { ...answer, to: '/', way: 'new account' });
      }
      const html = renderSignUpPage({ frame: frames.of(request, null), address, email, ...answer });
      return frames.send(reply.code(400), html);
    });
  };
}

type Refused = Pick<NewAccountFormProps, 'typed' | 'faults'>;

/** Makes the account that the form asks for, or answers why not. Throws `not_found` for an invitation that was used. */
export async function makeFromForm(
  parts: AccountParts,
  request: FastifyRequest,
  form: FormFields,
  invitation: Invitation | null,
): Promise<{ userId: string } | Refused> {
  const typed = { name: form.text('name').trim(), email: (form.optional('email') ?? '').trim() };
  const password = form.text('password');
  const passwordFaults = faultsOfNewPassword(password, form.text('again'), [typed.name, typed.email]);
  if (passwordFaults) return { typed, faults: passwordFaults };
  if (typed.email !== '' && !isEmailAddress(typed.email))
    return { typed, faults: { email: [words.emailFault] } };
  await countTry(parts, request, invitation);
  try {
    const email = typed.email === '' ? null : typed.email;
    const user = await parts.makeAccount({ name: typed.name, password, email, invitation });
    return { userId: user.id };
  } catch (error) {
    if (!(error instanceof AppError) || (error.kind !== 'conflict' && error.kind !== 'invalid')) throw error;
    return { typed, faults: { name: [sentence(error.message)] } };
  }
}

async function countTry({ attempts }: AccountParts, request: FastifyRequest, invitation: Invitation | null) {
  if (invitation) return attempts.count(['sign up', 'by', invitation.id], triesWithOneInvitation);
  await attempts.count(['sign up', 'from', networkOf(request.ip)], signUpsFromOneAddress);
  await attempts.count(['sign up'], signUpsInAll);
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
