/** The pages of the policies of a Workspace. A review is a GET request with the policies in the query, and changes nothing. */
import * as v from 'valibot';
import { AppError, type FieldErrors, fieldErrorsOf } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { workspacePoliciesPath } from '../../owners/owner-paths.ts';
import { type PolicyValues, readPolicies } from '../../owners/policies/policies.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import { policyTexts } from '../../owners/policies/policy-texts.ts';
import { renderPolicies } from './policies-page.tsx';
import type { PolicyRouteDeps } from './policy-api-routes.ts';
import { collectPolicies, givenInForm, policyFields, policyForm } from './policy-json.ts';
import { reviewPolicies } from './policy-review.ts';
import { renderPolicyReview } from './policy-review-page.tsx';

export function policyRoutes({ data, ownerAccess, changePolicies, now }: PolicyRouteDeps): Route[] {
  const page = '/enterprises/:workspace/policies';
  const access = ownerAccess.workspacePolicies;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      access,
      summary: 'Show the policies of a Workspace',
      // The proposed policies, for the link that leads back from the review.
      query: { ...collectPolicies(() => lenientText()), done: lenient(v.literal('saved')) },
      handle: async ({ subject: workspace, query, frame }) => {
        const submitted =
          query.page_access === undefined
            ? policyFields(await policyQueries(data).ofWorkspace(workspace.id))
            : query;
        const done = query.done ? policyTexts.saved : null;
        return html(renderPolicies({ frame, workspace, submitted, errors: {}, done }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${page}/review`,
      access,
      summary: 'Show what violates new policies of a Workspace',
      query: {
        ...collectPolicies(() => lenientText()),
        page: lenient(v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/), v.transform(Number))),
      },
      handle: async ({ subject: workspace, query, frame }) => {
        const known = await policyQueries(data).ofWorkspace(workspace.id);
        // A form always has a kind of access; its unchecked boxes are absent.
        const read = query.page_access === undefined ? { values: known } : readForm(query, known);
        if ('errors' in read)
          return html(
            renderPolicies({ frame, workspace, submitted: query, errors: read.errors, done: null }),
            { status: 400 },
          );
        const review = await reviewPolicies(data, workspace, read.values, now());
        const submitted = policyFields(read.values);
        return html(renderPolicyReview({ frame, workspace, submitted, review, page: query.page ?? 1 }));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/save`,
      page,
      access,
      reauthentication: true,
      summary: 'Save the policies of a Workspace',
      form: policyForm,
      handle: async ({ caller, subject: workspace, form }) => {
        await changePolicies(caller.actor, workspace, givenInForm(form));
        return redirect(`${workspacePoliciesPath(workspace.name)}?done=saved`);
      },
      renderErrors: async ({ submitted, errors }, { subject: workspace, frame }) =>
        renderPolicies({ frame, workspace, submitted, errors, done: null }),
    }),
  ];
}

function readForm(
  fields: Parameters<typeof givenInForm>[0],
  known: PolicyValues,
): { values: PolicyValues } | { errors: FieldErrors } {
  try {
    return { values: readPolicies(givenInForm(fields), known) };
  } catch (error) {
    const errors = error instanceof AppError ? fieldErrorsOf(error) : null;
    if (errors === null) throw error;
    return { errors };
  }
}
