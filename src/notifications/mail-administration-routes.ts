import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { conflict, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { PageLinks } from '../web/paging.tsx';
import type { BuildMail, LoadBuildMail } from './build-mail.ts';
import { renderBuildMailHtml } from './build-mail-html.tsx';
import { buildMailSubject, renderBuildMailText } from './build-mail-text.ts';
import { type Mail, type MailLine, type MailState, mailStates, maxMailAgeMs } from './mail.ts';
import { mailAdministrationPath, mailLinks, mailPath } from './mail-addresses.ts';
import { renderMailListPage } from './mail-administration-page.tsx';
import type { MailHindrance } from './mail-config.ts';
import { renderMailPage } from './mail-page.tsx';

export interface MailAdministrationParts {
  data: Data;
  frames: PageFrames;
  load: LoadBuildMail;
  hindrance: MailHindrance;
  now: () => number;
  wakeOutbox: () => void;
}

interface ListAddress {
  Querystring: { state?: unknown; below?: unknown; above?: unknown };
}

interface MailAddress {
  Params: { mail: string };
}

const mailsOnPage = 50;
/** Beyond that many, how many there are is not worth reading the table for. */
const countedTo = 1000;
const missing = () => new NotFound();

/** What became of the mail, for administrators; for everybody else it is not there. */
export function mailAdministrationRoutes(parts: MailAdministrationParts): RouteModule {
  const forAdministrator =
    <Request extends FastifyRequest>(
      answer: (request: Request, reply: FastifyReply, person: Person) => Promise<FastifyReply>,
    ) =>
    async (request: Request, reply: FastifyReply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      if (!person.actor.user.administrator) throw missing();
      return answer(request, reply, person);
    };
  return (server) => {
    server.get<ListAddress>(
      mailAdministrationPath,
      forAdministrator((request: FastifyRequest<ListAddress>, reply, person) =>
        answerList(parts, request, reply, person),
      ),
    );
    server.get<MailAddress>(
      `${mailAdministrationPath}/:mail`,
      forAdministrator((request: FastifyRequest<MailAddress>, reply, person) =>
        answerMail(parts, request, reply, person),
      ),
    );
    server.get<MailAddress>(
      `${mailAdministrationPath}/:mail/html`,
      forAdministrator((request: FastifyRequest<MailAddress>, reply) => answerHtml(parts, request, reply)),
    );
    server.post<MailAddress>(
      `${mailAdministrationPath}/:mail/again`,
      forAdministrator((request: FastifyRequest<MailAddress>, reply, person) =>
        tryAgain(parts, request, reply, person),
      ),
    );
  };
}

const oneOf = (text: unknown) => (typeof text === 'string' && /^[0-9a-z]{26}$/.test(text) ? text : undefined);

async function answerList(
  parts: MailAdministrationParts,
  request: FastifyRequest<ListAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const { data, frames } = parts;
  const state = mailStates.find((one) => one === request.query.state) ?? null;
  const above = oneOf(request.query.above);
  const below = above === undefined ? oneOf(request.query.below) : undefined;
  const found = await data.mails.listMails({ state, below, above, most: mailsOnPage + 1 });
  const mails = above === undefined ? found.slice(0, mailsOnPage) : found.slice(-mailsOnPage);
  const counted = mailStates.map(
    async (one) => [one, await data.mails.countMails(one, countedTo + 1)] as const,
  );
  const html = renderMailListPage({
    frame: frames.of(request, person),
    hindrance: parts.hindrance,
    counts: Object.fromEntries(await Promise.all(counted)) as Record<MailState, number>,
    countedTo,
    state,
    mails,
    paging: pageLinks(state, mails, { more: found.length > mailsOnPage, below, above }),
  });
  return frames.send(reply, html);
}

/** Coming from below there is a way back up; what comes from above knows that there is more below. */
function pageLinks(
  state: MailState | null,
  mails: readonly MailLine[],
  from: { more: boolean; below: string | undefined; above: string | undefined },
): PageLinks {
  const link = (name: string, line: MailLine | undefined) =>
    line ? `${mailAdministrationPath}?${state ? `state=${state}&` : ''}${name}=${line.mail.id}` : null;
  const hasNewer = from.above === undefined ? from.below !== undefined : from.more;
  const hasOlder = from.above === undefined ? from.more : true;
  return {
    newer: hasNewer ? link('above', mails[0]) : null,
    older: hasOlder ? link('below', mails.at(-1)) : null,
  };
}

async function findTold(
  parts: MailAdministrationParts,
  mailId: string,
): Promise<{ mail: Mail; told: BuildMail }> {
  const mail = await parts.data.mails.findMail(mailId);
  const told = mail && (await parts.load(mail));
  if (!mail || !told) throw missing();
  return { mail, told };
}

/** The person's own link to turn the mail off stays with the person. */
const unsubscribeStandIn = (origin: string) => `${origin}/unsubscribe/…`;

async function answerMail(
  parts: MailAdministrationParts,
  request: FastifyRequest<MailAddress>,
  reply: FastifyReply,
  person: Person,
) {
  const { mail, told } = await findTold(parts, request.params.mail);
  const frame = parts.frames.of(request, person);
  const text = renderBuildMailText(told, mailLinks(frame.origin, unsubscribeStandIn(frame.origin)));
  const html = renderMailPage({ frame, hindrance: parts.hindrance, mail, told, text });
  return parts.frames.send(reply, html);
}

/** As a mail program shows it: no script runs, nothing is loaded, and it is of no origin. */
async function answerHtml(
  parts: MailAdministrationParts,
  request: FastifyRequest<MailAddress>,
  reply: FastifyReply,
) {
  const { told } = await findTold(parts, request.params.mail);
  const { origin } = parts.frames.of(request, null);
  const icon = told.icon && `data:image/png;base64,${Buffer.from(told.icon).toString('base64')}`;
  return reply
    .type('text/html; charset=utf-8')
    .header(
      'Content-Security-Policy',
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    .header('Cache-Control', 'private, no-store')
    .send(renderBuildMailHtml(told, mailLinks(origin, unsubscribeStandIn(origin)), icon));
}

async function tryAgain(
  parts: MailAdministrationParts,
  request: FastifyRequest<MailAddress>,
  reply: FastifyReply,
  person: Person,
) {
  readSessionForm(person, request.body);
  const { data, hindrance } = parts;
  const { mail, told } = await findTold(parts, request.params.mail);
  if (hindrance !== null) throw conflict('this server cannot send mail');
  const now = parts.now();
  await data.transaction(async (inside) => {
    if (!(await inside.mails.reviveMail(mail.id, now)))
      throw conflict('only mail that failed is tried again');
    await inside.outbox.add({ kind: 'send-mail', mailId: mail.id, until: now + maxMailAgeMs }, now);
    await inside.audit.record({
      at: now,
      actor: person.actor,
      action: 'mail.tried-again',
      ownerId: told.app.owner.id,
      subject: `${buildMailSubject(told)} to ${told.userName}`,
      details: { mail: mail.id, build: told.build.id },
    });
  });
  parts.wakeOutbox();
  return reply.redirect(mailPath(mail.id), 303);
}
