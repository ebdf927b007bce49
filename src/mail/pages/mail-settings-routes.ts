import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { cutPage } from '../../http/list-request.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, many, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { UserActor } from '../../owners/actor.ts';
import { findRefusedProjects } from '../../owners/gate/find-workspace-gate.ts';
import type { PageLinks } from '../../web/components/paging.tsx';
import { withQuery } from '../../web/shell/site-paths.ts';
import type { MailChoice, MailChoicePosition } from '../mail.ts';
import { mailChoiceQueries } from './mail-choice-queries.ts';
import { mailSettingsPath, saveMailSettingsPath } from './mail-paths.ts';
import { renderMailSettingsPage } from './mail-settings-page.tsx';

export interface MailSettingsRouteDeps {
  data: Data;
  access: RouteAccess;
  canSend: boolean;
  now: () => number;
}

const choicesPerPage = 50;
const placePattern = /^(ios|android)\.([\w-]{1,64})\.([^\0]+)$/;
/** Maximum length of a position in the query string. Package names are shorter. */
const maxPlaceLength = 2_000;

/** An invalid position is ignored. */
const place = v.pipe(
  v.string(),
  v.maxLength(maxPlaceLength),
  v.regex(placePattern),
  v.transform((text): MailChoicePosition => {
    const [, platform, appId = '', packageName = ''] = placePattern.exec(text) ?? [];
    return { platform: platform === 'ios' ? 'ios' : 'android', appId, packageName };
  }),
);
const listQuery = { after: lenient(place), before: lenient(place) };
const choicesForm = {
  /** All apps that are shown. */
  apps: v.pipe(
    v.string(),
    v.transform((text) => text.split(' ')),
    v.maxLength(choicesPerPage, `at most ${choicesPerPage} apps`),
  ),
  /** The apps that are checked. */
  mail: many(v.string()),
};

/** Routes of the email settings of a person. */
export function mailSettingsRoutes({ data, access, canSend, now }: MailSettingsRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/settings/mail',
      summary: 'List the apps that send you email',
      access: access.signedIn,
      query: { ...listQuery, saved: lenient(v.literal('yes')) },
      handle: async ({ caller, subject: user, frame, query }) => {
        const { choices, paging, asked } = await listPage(data, caller.actor, readAsked(query));
        return html(
          renderMailSettingsPage({
            frame,
            email: user.email,
            canSend,
            choices,
            paging,
            saveAddress: withPlace(saveMailSettingsPath, asked),
            saved: query.saved === 'yes',
          }),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/settings/mail/save',
      summary: 'Choose the apps that send you email',
      access: access.signedIn,
      reauthentication: false,
      page: '/settings/mail',
      query: listQuery,
      form: choicesForm,
      handle: async ({ subject, form, query }) => {
        await saveChoices(data, subject.id, form, now());
        return redirect(withPlace(mailSettingsPath, readAsked(query), true));
      },
    }),
  ];
}

const writePlace = (one: MailChoicePosition | undefined) =>
  one ? `${one.platform}.${one.appId}.${one.packageName}` : '';

interface Asked {
  after?: MailChoicePosition | undefined;
  before?: MailChoicePosition | undefined;
}

const firstPage: Asked = {};

/** Ignores both if both are given. */
function readAsked({ before, after }: Asked): Asked {
  return { before, after: before === undefined ? after : undefined };
}

const withPlace = (address: string, { after, before }: Asked, saved = false) =>
  withQuery(address, { saved: saved ? 'yes' : '', after: writePlace(after), before: writePlace(before) });

/** Queries one row more than fits to detect a next page. Positions past either end show the first page. */
async function listPage(
  data: Data,
  actor: UserActor,
  asked: Asked,
): Promise<{ choices: MailChoice[]; paging: PageLinks; asked: Asked }> {
  const found = await mailChoiceQueries(data).listChoices(actor.user.id, {
    ...asked,
    exceptProjects: await findRefusedProjects(data, actor),
    limit: choicesPerPage + 1,
  });
  const from = { forwards: asked.before === undefined, begins: asked.after === undefined };
  const isOutOfRange = from.forwards ? found.length === 0 : found.length <= choicesPerPage;
  if (isOutOfRange && !(from.forwards && from.begins)) return listPage(data, actor, firstPage);
  const { items, hasPrevious, hasNext } = cutPage(found, choicesPerPage, from);
  return {
    choices: items,
    paging: {
      newer: hasPrevious ? withPlace(mailSettingsPath, { before: items[0] }) : null,
      older: hasNext ? withPlace(mailSettingsPath, { after: items.at(-1) }) : null,
    },
    asked,
  };
}

/** Saves the settings of the shown apps to which the person still has access. */
async function saveChoices(
  data: Data,
  userId: string,
  { apps: appIds, mail }: Values<typeof choicesForm>,
  now: number,
): Promise<void> {
  await data.transaction(async (tx) => {
    const shown = await mailChoiceQueries(tx).listChoices(userId, { limit: choicesPerPage, appIds });
    for (const { appId, wanted: before } of shown) {
      const wanted = mail.includes(appId);
      if (wanted !== before) await mailChoiceQueries(tx).setChoice(userId, appId, wanted, now);
    }
  });
}
