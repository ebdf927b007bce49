import * as v from 'valibot';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { keyDays, readUserCode } from './device-code.ts';
import type { DeviceCodes } from './device-codes.ts';
import { maxCodeLength, renderConfirm, renderEnterCode } from './terminal-sign-in-page.tsx';
import { devicePath } from './terminal-sign-in-paths.ts';

export const keyDaysField = v.pipe(v.picklist(keyDays.map(String)), v.transform(Number));

/** The page on which a person enters the code of a terminal, and approves it. */
export function terminalSignInRoutes({
  access,
  deviceCodes,
}: {
  access: RouteAccess;
  deviceCodes: DeviceCodes;
}): Route[] {
  const code = v.pipe(v.string(), v.maxLength(maxCodeLength));
  // How many codes a person may try (RFC 8628, section 5.1), out of 2^34, within ten minutes.
  const rateLimit = {
    name: 'terminal code',
    limit: 60,
    windowMs: 10 * 60_000,
    per: 'caller',
    refusal: 'terminalCodes',
  } as const;
  const form = { method: 'POST', access: access.unrestricted, page: devicePath, rateLimit } as const;
  const back = (found: boolean, done: 'approved' | 'denied', submitted: string) =>
    redirect(found ? `${devicePath}?done=${done}` : `${devicePath}?code=${encodeURIComponent(submitted)}`);
  return [
    defineRoute({
      method: 'GET',
      path: devicePath,
      summary: 'Enter and approve the code of a terminal',
      access: access.unrestricted,
      rateLimit,
      query: { code: lenient(code), done: lenient(v.picklist(['approved', 'denied'])) },
      handle: async ({ frame, query: { code: submitted = '', done = null } }) => {
        const found = await deviceCodes.view(submitted);
        const userCode = readUserCode(submitted);
        if (!found || !userCode)
          return html(renderEnterCode({ frame, submitted, unknown: submitted !== '', done }));
        return html(
          renderConfirm({
            frame,
            program: found,
            userCode,
            approvePath: `${devicePath}/approve`,
            denyPath: `${devicePath}/deny`,
            hidden: { code: userCode },
          }),
        );
      },
    }),
    defineRoute({
      ...form,
      path: `${devicePath}/approve`,
      summary: 'Approve the code of a terminal',
      reauthentication: true,
      form: { code, days: keyDaysField },
      handle: async ({ caller, form: { code: submitted, days } }) =>
        back(await deviceCodes.approve(caller, submitted, days), 'approved', submitted),
    }),
    defineRoute({
      ...form,
      path: `${devicePath}/deny`,
      summary: 'Deny the code of a terminal',
      reauthentication: false,
      form: { code },
      handle: async ({ form: { code: submitted } }) =>
        back(await deviceCodes.deny(submitted), 'denied', submitted),
    }),
  ];
}
