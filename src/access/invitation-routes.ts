import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { type Project, teams } from '../owners/owner.ts';
import { absolute } from '../owners/owner-addresses.ts';
import { accountTexts } from '../web/account-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { invitationPath, projectInvitationsPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { isEmailAddress } from './email-address.ts';
import { maxOpenInvitations } from './invitation.ts';
import { type InvitationsPageProps, renderInvitationsPage } from './invitations-page.tsx';
import { managerOrSignIn } from './managed-project-http.ts';
import { type Person, personOrSignIn, readSessionForm } from './session-form-http.ts';

interface ListAddress {
  Querystring: { done?: unknown };
}

interface ProjectAddress extends ListAddress {
  Params: { owner: string };
}

const words = accountTexts.invitations;
/** Of one person: each may become a letter to a stranger. */
const invitationsADay = { most: 100, windowMs: 24 * 60 * 60_000, refusal: words.tooMany };

/** Inviting into a Project, for its owner team, and into the installation, for administrators. */
export function invitationRoutes(parts: AccountParts): RouteModule {
  return (server) => {
    const projectAddress = '/organizations/:owner/invitations';
    server.get<ProjectAddress>(projectAddress, async (request, reply) => {
      const known = await managerOrSignIn(parts, request, reply);
      return known ? answerList(parts, request, reply, known, {}) : reply;
    });
    server.post<ProjectAddress>(projectAddress, async (request, reply) => {
      const known = await managerOrSignIn(parts, request, reply);
      return known ? change(parts, request, reply, known) : reply;
    });
    server.get<ListAddress>(siteAddresses.invitations, async (request, reply) => {
      const known = await administratorOrSignIn(parts, request, reply);
      return known ? answerList(parts, request, reply, known, {}) : reply;
    });
    server.post<ListAddress>(siteAddresses.invitations, async (request, reply) => {
      const known = await administratorOrSignIn(parts, request, reply);
      return known ? change(parts, request, reply, known) : reply;
    });
  };
}

interface Inviter {
  person: Person;
  /** Null: into the installation. */
  project: Project | null;
}

async function administratorOrSignIn(
  parts: AccountParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Inviter | null> {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (!person) return null;
  if (!person.actor.user.administrator) throw new NotFound();
  return { person, project: null };
}

const pathOf = (project: Project | null) =>
  project ? projectInvitationsPath(project.name) : siteAddresses.invitations;

async function answerList(
  parts: AccountParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
  { person, project }: Inviter,
  changes: Partial<Pick<InvitationsPageProps, 'typed' | 'faults' | 'link' | 'done'>>,
) {
  const isPlain = Object.keys(changes).length === 0;
  const html = renderInvitationsPage({
    frame: parts.frames.of(request, person),
    project,
    address: pathOf(project),
    open: await parts.data.invitations.listInvitations(project?.id ?? null, parts.now(), maxOpenInvitations),
    canSendMail: parts.canSendMail,
    typed: { email: '', team: 'tester' },
    faults: {},
    link: null,
    done: isPlain && request.query.done === 'revoked' ? words.revoked : null,
    ...changes,
  });
  return parts.frames.send(changes.faults ? reply.code(400) : reply, html);
}

async function change(
  parts: AccountParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
  inviter: Inviter,
) {
  const { person, project } = inviter;
  const form = readSessionForm(person, request.body);
  const { user } = person.actor;
  const act = form.text('act');
  if (act === 'revoke') {
    await parts.invite.revoke(user, project, form.text('invitation'));
    return reply.redirect(`${pathOf(project)}?done=revoked`, 303);
  }
  if (act !== 'invite') throw invalid('the form asks for nothing that is known here');
  const typed = { email: (form.optional('email') ?? '').trim(), team: form.optional('team') ?? '' };
  const refuse = (faults: InvitationsPageProps['faults']) =>
    answerList(parts, request, reply, inviter, { typed, faults });
  const team = teams.find((one) => one === typed.team);
  if (project && !team) return refuse({ team: [words.teamFault] });
  const email = typed.email === '' || !parts.canSendMail ? null : typed.email;
  if (email !== null && !isEmailAddress(email)) return refuse({ email: [words.emailFault] });
  await parts.attempts.count(['invite', user.id], invitationsADay);
  try {
    const into = project && team ? { project, team } : null;
    const { token } = await parts.invite.invite({ by: user, into, email });
    const link = token && absolute(parts.originOf(request), invitationPath(token));
    const done = email === null ? null : words.sent(email);
    return await answerList(parts, request, reply, inviter, { link, done });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return refuse({ email: [error.message] });
  }
}
