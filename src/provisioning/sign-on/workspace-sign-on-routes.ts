import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import { workspaceSamlPaths } from '../../accounts/profile/account-paths.ts';
import { metadataQueries } from '../../accounts/saml/metadata-queries.ts';
import { addressesOf } from '../../accounts/saml/saml-sign-on-http.ts';
import { workspaceProviderQueries } from '../../accounts/saml/workspace/workspace-provider-queries.ts';
import { maxXmlBytes } from '../../accounts/saml/xml-document.ts';
import { maxProviderNameLength } from '../../accounts/single-sign-on/single-sign-on-config.ts';
import { nameField } from '../../core/name-text.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { workspaceIssuer, workspaceMetadataPlace } from '../../owners/gate/workspace-gate.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspaceSignOnPath } from '../../owners/owner-paths.ts';
import type { OwnerAccess, RecoverableWorkspace } from '../../projects/owner-access-http.ts';
import type { WorkspaceSignOnChanges } from './workspace-sign-on.ts';
import {
  maxAttributesLength,
  maxMetadataUrlLength,
  renderWorkspaceSignOn,
  type WorkspaceSignOnPageProps,
} from './workspace-sign-on-page.tsx';
import { workspaceSignOnTexts } from './workspace-sign-on-texts.ts';

export interface WorkspaceSignOnRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  workspaceSignOn: WorkspaceSignOnChanges;
  publicUrl: string | null;
}

/** Escaping may turn every character of the metadata into three. */
const maxFormBytes = 3 * maxXmlBytes + 16 * 1024;
export const setProviderLimit = {
  name: 'identity provider',
  limit: 30,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'requests',
} as const;

const t = workspaceSignOnTexts;
const successMessages = () => ({
  saved: t.provider.saved,
  removed: t.provider.removed,
  required: t.requirement.turnedOn,
  optional: t.requirement.turnedOff,
});
const text = (maxLength: number) => v.optional(v.pipe(v.string(), v.trim(), v.maxLength(maxLength)), '');
const orNull = (given: string) => (given === '' ? null : given);

/** The single sign-on settings of a Workspace, for its owners and administrators. */
export function workspaceSignOnRoutes(deps: WorkspaceSignOnRouteDeps): Route[] {
  const { ownerAccess, workspaceSignOn } = deps;
  const page = '/enterprises/:workspace/single-sign-on';
  const form = {
    method: 'POST',
    access: ownerAccess.workspaceOwnerOrAdministrator,
    page,
    reauthentication: true,
  } as const;
  const back = ({ name }: Workspace, done: keyof ReturnType<typeof successMessages>) =>
    redirect(`${workspaceSignOnPath(name)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      access: ownerAccess.workspaceRecovery,
      summary: 'Show the single sign-on settings of a Workspace',
      query: { done: lenient(v.picklist(['saved', 'removed', 'required', 'optional'])) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await render(deps, context, { done: done ? successMessages()[done] : null }));
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/single-sign-on/save',
      summary: 'Set the identity provider of a Workspace',
      rateLimit: setProviderLimit,
      maxBodyBytes: maxFormBytes,
      form: {
        name: nameField(maxProviderNameLength),
        metadata_url: text(maxMetadataUrlLength),
        metadata: text(maxXmlBytes),
        attributes: text(maxAttributesLength),
      },
      handle: async ({ caller, subject, form }) => {
        await workspaceSignOn.set(caller.actor, subject, {
          name: form.name,
          metadata: orNull(form.metadata),
          metadataUrl: orNull(form.metadata_url),
          attributes: orNull(form.attributes),
        });
        return back(subject, 'saved');
      },
      renderErrors: ({ submitted, errors }, context) => {
        const subject = { workspace: context.subject, isBarred: false, canRecover: true };
        return render(deps, { ...context, subject }, { submitted, errors });
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/single-sign-on/remove',
      summary: 'Remove the identity provider of a Workspace',
      form: {},
      handle: async ({ caller, subject }) => {
        await workspaceSignOn.remove(caller.actor, subject);
        return back(subject, 'removed');
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/single-sign-on/requirement/turn-on',
      summary: 'Require the members of a Workspace to sign in at its identity provider',
      form: {},
      handle: async ({ caller, subject }) => {
        await workspaceSignOn.require(caller.actor, subject, true);
        return back(subject, 'required');
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/single-sign-on/requirement/turn-off',
      access: ownerAccess.workspaceRecovery,
      summary: 'Stop requiring the members of a Workspace to sign in at its identity provider',
      form: {},
      handle: async ({ caller, subject: { workspace } }) => {
        await workspaceSignOn.require(caller.actor, workspace, false);
        return back(workspace, 'optional');
      },
    }),
  ];
}

/** Returns the addresses of this server for the provider, and the sign-in address for members. */
function addressesFor(publicUrl: string, { name }: Workspace) {
  const paths = workspaceSamlPaths(name);
  return { ...addressesOf(publicUrl, paths), signIn: `${publicUrl}${paths.signIn}` };
}

async function render(
  { data, publicUrl }: WorkspaceSignOnRouteDeps,
  {
    caller,
    frame,
    subject,
  }: Pick<RouteContext<Person, RecoverableWorkspace>, 'caller' | 'frame' | 'subject'>,
  shown: Partial<Pick<WorkspaceSignOnPageProps, 'done' | 'submitted' | 'errors'>>,
): Promise<string> {
  const { workspace } = subject;
  const provider = await workspaceProviderQueries(data).find(workspace.id);
  const issuer = provider && workspaceIssuer(workspace.id, provider.entityId);
  return renderWorkspaceSignOn({
    ...subject,
    frame,
    addresses: publicUrl === null ? null : addressesFor(publicUrl, workspace),
    provider,
    kept: provider && (await metadataQueries(data).find(workspaceMetadataPlace(workspace.id))),
    isSignedOn: issuer !== null && caller.actor.gate?.signOns.includes(issuer) === true,
    done: null,
    submitted: {},
    errors: {},
    ...shown,
  });
}
