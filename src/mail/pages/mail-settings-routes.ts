import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/sign-in/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { cutPage } from '../../http/list-request.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, many, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { PageLinks } from '../../web/components/paging.tsx';
import { withQuery } from '../../web/shell/site-addresses.ts';
import type { MailChoice, MailChoicePlace } from '../mail.ts';
import { mailSettingsPath, saveMailSettingsPath } from './mail-addresses.ts';
import { mailChoiceQueries } from './mail-choice-queries.ts';
import { renderMailSettingsPage } from './mail-settings-page.tsx';

export interface MailSettingsRouteParts {
  data: Data;
  access: RouteAccess;
  canSend: boolean;
  now: () => number;
}

const choicesOnPage = 50;
const placePattern = /^(ios|android)\.([\w-]{1,64})\.([^\0]+)$/;
/** Of a place in an address; package names are shorter. */
const maxPlaceLength = 2_000;

/** A place that no list gave is none. */
const place = v.pipe(
  v.string(),
  v.maxLength(maxPlaceLength),
  v.regex(placePattern),
  v.transform((text): MailChoicePlace => {
    const [, platform, appId = '', packageName = ''] = placePattern.exec(text) ?? [];
    return { platform: platform === 'ios' ? 'ios' : 'android', appId, packageName };
  }),
);
const listQuery = { after: lenient(place), before: lenient(place) };
const choicesForm = {
  /** All that were shown. */
  apps: v.pipe(
    v.string(),
    v.transform((text) => text.split(' ')),
    v.maxLength(choicesOnPage, `at most ${choicesOnPage} apps`),
  ),
  /** Those that were ticked. */
  mail: many(v.string()),
};

/** Which apps mail a person about their new builds. */
export function mailSettingsRoutes({ data, access, canSend, now }: MailSettingsRouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/settings/mail',
      summary: 'List the apps that send you email',
      access: access.signedIn,
      query: { ...listQuery, saved: lenient(v.literal('yes')) },
      handle: async ({ subject: user, frame, query }) => {
        const { choices, paging, asked } = await listPage(data, user.id, readAsked(query));
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

const writePlace = (one: MailChoicePlace | undefined) =>
  one ? `${one.platform}.${one.appId}.${one.packageName}` : '';

interface Asked {
  after?: MailChoicePlace | undefined;
  before?: MailChoicePlace | undefined;
}

const firstPage: Asked = {};

/** Both at once are one too many. */
function readAsked({ before, after }: Asked): Asked {
  return { before, after: before === undefined ? after : undefined };
}

const withPlace = (address: string, { after, before }: Asked, saved = false) =>
  withQuery(address, {
    ...{ saved: saved ? 'yes' : '', after: writePlace(after), before: writePlace(before) },
  });

/** Asks for one more than fit on the page: then there is another. Behind the end, and before the beginning, is the first page. */
async function listPage(
  data: Data,
  userId: string,
  asked: Asked,
): Promise<{ choices: MailChoice[]; paging: PageLinks; asked: Asked }> {
  const found = await mailChoiceQueries(data).listChoices(userId, { ...asked, most: choicesOnPage + 1 });
  const from = { forwards: asked.before === undefined, begins: asked.after === undefined };
  const strayed = from.forwards ? found.length === 0 : found.length <= choicesOnPage;
  if (strayed && !(from.forwards && from.begins)) return listPage(data, userId, firstPage);
  const { items, hasPrevious, hasNext } = cutPage(found, choicesOnPage, from);
  return {
    choices: items,
    paging: {
      newer: hasPrevious ? withPlace(mailSettingsPath, { before: items[0] }) : null,
      older: hasNext ? withPlace(mailSettingsPath, { after: items.at(-1) }) : null,
    },
    asked,
  };
}

/** Saves what was shown, as far as the person may still see it. */
async function saveChoices(
  data: Data,
  userId: string,
  { apps: appIds, mail }: Values<typeof choicesForm>,
  now: number,
): Promise<void> {
  await data.transaction(async (inside) => {
    const shown = await mailChoiceQueries(inside).listChoices(userId, { most: choicesOnPage, appIds });
    for (const { appId, wanted: before } of shown) {
      const wanted = mail.includes(appId);
      if (wanted !== before) await mailChoiceQueries(inside).setChoice(userId, appId, wanted, now);
    }
  });
}
