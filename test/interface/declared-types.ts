/** Type errors that the compiler must report. */
import * as v from 'valibot';
import type { RouteAccess } from '../../src/accounts/authorization/route-access-http.ts';
import { html, json, redirect } from '../../src/http/routes/answer.ts';
import { defineRoute } from '../../src/http/routes/route.ts';

declare const access: RouteAccess;
const post = { method: 'POST', summary: '', page: '/x', reauthentication: false } as const;

defineRoute({
  ...post,
  path: '/organizations/:owner/x',
  access: access.managedProject,
  form: { name: v.string(), count: v.pipe(v.string(), v.toNumber()) },
  handle: async ({ subject, form, params }) => {
    const count: number = form.count;
    // @ts-expect-error there is no such field
    void form.nmae;
    // @ts-expect-error a Project, not an App
    void subject.packageName;
    // @ts-expect-error not in the path
    void params.key;
    return redirect(`/${subject.name}/${params.owner}/${count}`);
  },
  // @ts-expect-error `typed` has only the fields of the form
  refused: async ({ submitted }) => submitted.other,
});
// @ts-expect-error the path names no owner for the loader
defineRoute({ ...post, path: '/x', access: access.managedProject, form: {}, handle: async () => html('') });
defineRoute({
  method: 'GET',
  path: '/api/x',
  summary: '',
  access: access.signedIn,
  answer: v.object({ id: v.string() }),
  // @ts-expect-error the answer has to fit its schema
  handle: async () => json({ id: 1 }),
});
