import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { content, html, redirect } from '../../http/routes/answer.ts';
import { lenient, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { PageLinks } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { type MailListItem, type MailState, mailStates, maxMailAgeMs } from '../mail.ts';
import type { MailUnavailableReason } from '../mail-config.ts';
import { mailQueries } from '../mail-queries.ts';
import { mailTexts } from '../mail-texts.ts';
import type { BuildMail, LoadBuildMail } from '../messages/build-mail.ts';
import { renderBuildMailHtml } from '../messages/build-mail-html.tsx';
import { buildMailSubject, renderBuildMailText } from '../messages/build-mail-text.ts';
import type { SendTestEmail } from '../send-test-email.ts';
import { renderMailListPage, type TestEmail } from './mail-administration-page.tsx';
import { renderMailPage } from './mail-page.tsx';
import { mailAdministrationPath, mailLinks, mailPath } from './mail-paths.ts';

export interface MailAdministrationDeps {
  data: Data;
  access: RouteAccess;
  load: LoadBuildMail;
  unavailableReason: MailUnavailableReason;
  /** Null if email cannot be sent. */
  sendTestEmail: SendTestEmail | null;
  now: () => number;
  wakeOutbox: () => void;
}

interface OneMail {
  listed: MailListItem;
  /** Null after the build was deleted. */
  buildMail: BuildMail | null;
}

interface ReadableMail extends OneMail {
  buildMail: BuildMail;
}

const mailsPerPage = 50;
/** Emails are counted up to this number, which avoids reading the entire table. */
const countedTo = 1000;
const identifier = lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/)));
const listQuery = {
  state: lenient(v.picklist(mailStates)),
  below: identifier,
  above: identifier,
  done: lenient(v.picklist(['test-sent'])),
};
const testEmailLimit = 10;
/** As in an email client: no scripts, no external resources, and an opaque origin. */
const mailPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Hides the personal unsubscribe link. */
const unsubscribePlaceholder = (origin: string) => `${origin}/unsubscribe/…`;

/** Routes that show the delivery status of emails to administrators. */
export function mailAdministrationRoutes(deps: MailAdministrationDeps): Route[] {
  const { data, access, unavailableReason } = deps;
  const oneMail: Access<{ mail: string }, Person, OneMail> = {
    ...access.administrator,
    authorize: async (...context) => {
      await access.administrator.authorize(...context);
      const [, params] = context;
      const listed = await mailQueries(data).findListedMail(params.mail);
      if (!listed) throw new NotFound();
      return { listed, buildMail: await deps.load(listed.mail) };
    },
  };
  const readableMail: Access<{ mail: string }, Person, ReadableMail> = {
    ...oneMail,
    authorize: async (...context) => {
      const { listed, buildMail } = await oneMail.authorize(...context);
      if (!buildMail) throw new NotFound();
      return { listed, buildMail };
    },
  };
  const page = '/administration/mail/:mail';
  return [
    defineRoute({
      method: 'GET',
      path: '/administration/mail',
      summary: 'List emails about builds',
      access: access.administrator,
      query: listQuery,
      handle: async ({ caller, frame, query }) => {
        const test = { address: caller.actor.user.email, sent: query.done === 'test-sent', failure: null };
        return html(await renderList(deps, frame, query, test));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/administration/mail/send-test',
      summary: 'Send a test email to yourself',
      access: access.administrator,
      reauthentication: false,
      page: '/administration/mail',
      rateLimit: {
        name: 'test email',
        limit: testEmailLimit,
        windowMs: 3_600_000,
        per: 'caller',
        // In the language of the request.
        refusal: 'testEmails',
      },
      form: { to: v.optional(v.picklist(['home'])) },
      handle: async ({ caller, frame, form: { to } }) => {
        const { user } = caller.actor;
        const { email } = user;
        if (!deps.sendTestEmail) throw conflict(mailTexts.errors.unavailable);
        if (email === null) throw conflict(mailTexts.errors.noAddress);
        const outcome = await deps.sendTestEmail({ ...user, email });
        if (outcome.kind === 'sent') {
          const page = to === 'home' ? sitePaths.home : mailAdministrationPath;
          return redirect(`${page}?done=test-sent`);
        }
        const title = outcome.kind === 'uncertain' ? mailTexts.test.uncertain : mailTexts.test.failed;
        const test = { address: email, sent: false, failure: { title, reason: outcome.reason } };
        return html(await renderList(deps, frame, {}, test), { status: 502 });
      },
    }),
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show an email and its delivery status',
      access: oneMail,
      handle: async ({ frame, subject: { listed, buildMail } }) => {
        const links = mailLinks(frame.origin, unsubscribePlaceholder(frame.origin));
        const text = buildMail && renderBuildMailText(buildMail, links);
        return html(renderMailPage({ frame, unavailableReason, listed, text }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/administration/mail/:mail/html',
      summary: 'Show the HTML part of an email',
      access: readableMail,
      handle: async ({ client: { origin }, subject: { buildMail } }) => {
        const icon =
          buildMail.icon && `data:image/png;base64,${Buffer.from(buildMail.icon).toString('base64')}`;
        const text = renderBuildMailHtml(buildMail, mailLinks(origin, unsubscribePlaceholder(origin)), icon);
        const headers = { 'Content-Security-Policy': mailPolicy, 'Cache-Control': 'private, no-store' };
        return content('text/html; charset=utf-8', text, { headers });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/administration/mail/:mail/retry',
      summary: 'Retry a failed email',
      access: readableMail,
      reauthentication: false,
      page,
      form: {},
      handle: async ({ caller, subject }) => {
        await retry(deps, caller.actor, subject);
        return redirect(mailPath(subject.listed.mail.id));
      },
    }),
  ];
}

async function renderList(
  { data, unavailableReason }: MailAdministrationDeps,
  frame: PageFrame,
  query: Partial<Values<typeof listQuery>>,
  test: TestEmail,
): Promise<string> {
  const { above } = query;
  const state = query.state ?? null;
  const below = above === undefined ? query.below : undefined;
  const found = await mailQueries(data).listMails({ state, below, above, limit: mailsPerPage + 1 });
  const mails = above === undefined ? found.slice(0, mailsPerPage) : found.slice(-mailsPerPage);
  const counted = mailStates.map(
    async (one) => [one, await mailQueries(data).countMails(one, countedTo + 1)] as const,
  );
  return renderMailListPage({
    frame,
    unavailableReason,
    test,
    countedTo,
    state,
    mails,
    counts: Object.fromEntries(await Promise.all(counted)) as Record<MailState, number>,
    paging: pageLinks(state, mails, { more: found.length > mailsPerPage, below, above }),
  });
}

/** A page reached by going back has newer emails; one reached by going forward has older ones. */
function pageLinks(
  state: MailState | null,
  mails: readonly MailListItem[],
  from: { more: boolean; below: string | undefined; above: string | undefined },
): PageLinks {
  const link = (name: string, line: MailListItem | undefined) =>
    line ? `${mailAdministrationPath}?${state ? `state=${state}&` : ''}${name}=${line.mail.id}` : null;
  const hasNewer = from.above === undefined ? from.below !== undefined : from.more;
  const hasOlder = from.above === undefined ? from.more : true;
  return {
    newer: hasNewer ? link('above', mails[0]) : null,
    older: hasOlder ? link('below', mails.at(-1)) : null,
  };
}

async function retry(
  { data, unavailableReason, now, wakeOutbox }: MailAdministrationDeps,
  by: Actor,
  { listed: { mail }, buildMail }: ReadableMail,
): Promise<void> {
  if (unavailableReason !== null) throw conflict(mailTexts.errors.unavailable);
  const at = now();
  await data.transaction(async (tx) => {
    if (!(await mailQueries(tx).reviveMail(mail.id, at))) throw conflict(mailTexts.errors.notFailed);
    const job = { kind: 'send-mail', mailId: mail.id, until: at + maxMailAgeMs } as const;
    await outboxQueries(tx).add(buildMail.app.owner.id, job, at);
    await auditQueries(tx).record({
      at,
      actor: by,
      action: 'mail.tried-again',
      ownerId: buildMail.app.owner.id,
      subject: `${buildMailSubject(buildMail)} to ${buildMail.userName}`,
      details: { mail: mail.id, build: buildMail.build.id },
    });
  });
  wakeOutbox();
}
