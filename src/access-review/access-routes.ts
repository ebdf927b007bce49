import { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Person } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { csvContentType } from '../core/csv.ts';
import type { Data } from '../db/data.ts';
import { readSearch } from '../http/list-request.ts';
import { content, html, redirect } from '../http/routes/answer.ts';
import { lenient, lenientText } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { nameKey } from '../owners/owner.ts';
import { projectAccessPath, workspaceAccessPath } from '../owners/owner-paths.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import { personPlacesQueries } from '../projects/people/person-places-queries.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import { credentialCsv, credentialLine, csvHead, personCsv, personLine } from './access-json.ts';
import { maxShownCredentials, renderAccessPage, revocableWays } from './access-page.tsx';
import type { ReviewSubject } from './access-review.ts';
import { type Credential, credentialKinds, type ReviewedPerson, type ReviewScope } from './access-review.ts';
import type { AccessReviews, CredentialPosition } from './access-review-service.ts';
import { accessTexts } from './access-texts.ts';
import { type PersonAccessProps, renderPersonAccess } from './person-access-page.tsx';
import { reviewPlaces } from './review-scopes-http.ts';

export interface AccessReviewRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  reviews: AccessReviews;
}

const peoplePerPage = 50;

const addressOf = (scope: ReviewScope) => {
  if (scope.kind === 'project') return projectAccessPath(scope.project.name);
  return scope.kind === 'workspace'
    ? workspaceAccessPath(scope.workspace.name)
    : `${sitePaths.administration}/access`;
};

export function accessRoutes(deps: AccessReviewRouteDeps): Route[] {
  const { reviews } = deps;
  const ofPlace = ({ page, of, byPerson }: ReturnType<typeof reviewPlaces>[number]) => {
    const reading = { method: 'GET', access: byPerson } as const;
    return [
      defineRoute({
        ...reading,
        path: page,
        summary: `Show who has access to ${of}`,
        query: { q: lenientText(), after: lenientText(), done: lenient(v.literal('revoked')) },
        handle: async ({ subject, frame, query }) => {
          const { scope } = subject;
          const address = addressOf(scope);
          const { query: asked } = readSearch(query.q);
          const after = query.after === undefined || query.after === '' ? undefined : nameKey(query.after);
          const found = await reviews.listPeople(scope, {
            after,
            limit: peoplePerPage + 1,
            query: nameKey(asked),
          });
          const people = found.slice(0, peoplePerPage);
          const last = found.length > peoplePerPage ? people.at(-1)?.user.name : undefined;
          return html(
            renderAccessPage({
              frame,
              subject,
              address,
              people,
              query: asked,
              done: query.done ? accessTexts.person.revokedAll : null,
              credentials:
                after === undefined
                  ? await reviews.listCredentials(scope, { after: [0, ''], limit: maxShownCredentials })
                  : [],
              paging: {
                newer: after === undefined ? null : withQuery(address, { q: asked }),
                older: last === undefined ? null : withQuery(address, { q: asked, after: nameKey(last) }),
              },
            }),
          );
        },
      }),
      defineRoute({
        ...reading,
        path: `${page}.csv`,
        summary: `Export the access review of ${of} as CSV`,
        handle: async ({ subject }) =>
          exported(reviews, subject.scope, {
            type: 'csv',
            head: csvHead,
            person: personCsv,
            credential: credentialCsv,
          }),
      }),
      defineRoute({
        ...reading,
        path: `${page}.jsonl`,
        summary: `Export the access review of ${of} as JSON lines`,
        handle: async ({ subject }) =>
          exported(reviews, subject.scope, {
            type: 'jsonl',
            head: '',
            person: personLine,
            credential: credentialLine,
          }),
      }),
      defineRoute({
        ...reading,
        path: `${page}/:person`,
        summary: `Show why a person has access to ${of}`,
        query: { done: lenient(v.literal('revoked')) },
        handle: async (context) =>
          html(
            await renderPerson(deps, context, {
              done: context.query.done ? accessTexts.person.revoked : null,
            }),
          ),
      }),
    ];
  };
  return [
    ...reviewPlaces(deps).flatMap(ofPlace),
    defineRoute({
      method: 'POST',
      page: '/administration/access/:person',
      path: '/administration/access/:person/revoke',
      summary: 'Remove a person from a group or from an app of a User, or as manager of a group',
      access: deps.access.administrator,
      reauthentication: false,
      form: { way: v.picklist(revocableWays), id: v.string() },
      handle: async ({ caller, params, form: { way, id } }) => {
        await reviews.revokeWay(caller.actor, { id: params.person }, { kind: way, id });
        const address = `${addressOf({ kind: 'installation' })}/${encodeURIComponent(params.person)}`;
        return redirect(withQuery(address, { done: 'revoked' }));
      },
    }),
    defineRoute({
      method: 'POST',
      page: '/enterprises/:workspace/access/:person',
      path: '/enterprises/:workspace/access/:person/revoke',
      summary: 'Revoke all access of a person to a Workspace',
      access: deps.ownerAccess.workspaceOwnerOrAdministrator,
      reauthentication: true,
      form: {},
      handle: async ({ caller, subject, params }) => {
        await reviews.revokeAll(caller.actor, subject, { id: params.person });
        return redirect(withQuery(workspaceAccessPath(subject.name), { done: 'revoked' }));
      },
      renderErrors: ({ error }, context) => {
        const subject = {
          scope: { kind: 'workspace', workspace: context.subject },
          permissions: null,
        } as const;
        return renderPerson(deps, { ...context, frame: context.frame, subject }, { refused: error.sentence });
      },
      renderedErrorKinds: ['conflict'],
    }),
  ];
}

type PersonContext = Pick<RouteContext<Person, ReviewSubject>, 'caller' | 'frame' | 'subject'> & {
  params: { person: string };
};

async function renderPerson(
  { data, reviews }: AccessReviewRouteDeps,
  { caller, frame, subject, params }: PersonContext,
  { refused = null, done = null }: { refused?: string | null; done?: string | null },
): Promise<string> {
  const { scope } = subject;
  const viewer = caller.actor.user;
  const report = await reviews.reportOn(scope, { id: params.person });
  const owned = await personPlacesQueries(data).listOwned(viewer.id);
  const { user, places } = report.person;
  const props: PersonAccessProps = {
    frame,
    subject,
    report,
    refused,
    done,
    manages: (id) => user.id !== viewer.id && (viewer.administrator || owned.has(id)),
    owns: (id) => owned.has(id),
    revokeAllPath:
      scope.kind === 'workspace' && user.id !== viewer.id && places.length > 0
        ? `${addressOf(scope)}/${encodeURIComponent(user.id)}/revoke`
        : null,
  };
  return renderPersonAccess(props);
}

interface Format {
  type: 'csv' | 'jsonl';
  head: string;
  person(person: ReviewedPerson): string;
  credential(credential: Credential): string;
}

const contentTypes = { csv: csvContentType, jsonl: 'application/x-ndjson; charset=utf-8' } as const;

function exported(reviews: AccessReviews, scope: ReviewScope, format: Format) {
  const of = scope.kind === 'project' ? scope.project : scope.kind === 'workspace' ? scope.workspace : null;
  const name = of === null ? 'access' : `access-${of.name}`;
  return content(contentTypes[format.type], Readable.from(linesOf(reviews, scope, format)), {
    headers: {
      'Content-Disposition': `attachment; filename="${name}.${format.type}"`,
      'Cache-Control': 'private, no-store',
    },
  });
}

const rowsPerBatch = 500;

/** Reads both lists in parts to limit memory. */
async function* linesOf(reviews: AccessReviews, scope: ReviewScope, format: Format): AsyncGenerator<string> {
  yield format.head;
  for await (const person of reviews.everyone(scope)) yield format.person(person);
  let after: CredentialPosition = [0, ''];
  for (;;) {
    const found = await reviews.listCredentials(scope, { after, limit: rowsPerBatch });
    yield found.map(format.credential).join('');
    const last = found.at(-1);
    if (!last || found.length < rowsPerBatch) return;
    after = [credentialKinds.indexOf(last.kind), last.id];
  }
}
