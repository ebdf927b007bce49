import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { personOrSignIn } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { ChangeRetention } from '../owners/change-retention.ts';
import type { Owner } from '../owners/owner.ts';
import { ownerRetentionPath, workspaceRetentionPath } from '../owners/owner-addresses.ts';
import { effectiveRule, withRule } from '../owners/retention.ts';
import { findKnownOwner, missing } from '../projects/overseen-owner-http.ts';
import { findOverseenWorkspace } from '../projects/overseen-workspace-http.ts';
import { rulesOf } from '../projects/retention-rules.ts';
import { appRetentionPath } from './addresses.ts';
import { findManagedApp, type PlatformAppAddress } from './managed-app-http.ts';
import { renderAppRetention, renderOwnerRetention, renderWorkspaceRetention } from './retention-page.tsx';
import { previewApp, previewScope } from './retention-preview.ts';
import { answerRetention, type RetentionCase, type RetentionQuery } from './retention-view-http.ts';
import type { ViewAccess } from './view-access.ts';

export interface RetentionRouteParts {
  data: Data;
  frames: PageFrames;
  viewAccess: ViewAccess;
  changeRetention: ChangeRetention;
  now: () => number;
}

interface AppAddress {
  Params: PlatformAppAddress;
  Querystring: RetentionQuery;
}
interface OwnerAddress {
  Params: { owner: string };
  Querystring: RetentionQuery;
}
interface WorkspaceAddress {
  Params: { workspace: string };
  Querystring: RetentionQuery;
}

/**
 * Which builds are kept: of an App for those who manage it, of an Owner for those who look after it, of a Workspace for
 * its owners. Looking at what a rule would remove is a GET with the rule in its address, and changes nothing.
 */
export function retentionRoutes(parts: RetentionRouteParts): RouteModule {
  return (server) => {
    for (const method of ['GET', 'POST'] as const) {
      server.route<AppAddress>({
        method,
        url: '/users/:owner/platforms/:platform/apps/:package/retention',
        handler: (request, reply) => answerApp(parts, request, reply),
      });
      for (const url of ['/organizations/:owner/retention', '/users/:owner/retention']) {
        server.route<OwnerAddress>({
          method,
          url,
          handler: (request, reply) => answerOwner(parts, request, reply),
        });
      }
      server.route<WorkspaceAddress>({
        method,
        url: '/enterprises/:workspace/retention',
        handler: (request, reply) => answerWorkspace(parts, request, reply),
      });
    }
  };
}

async function answerApp(
  parts: RetentionRouteParts,
  request: FastifyRequest<AppAddress>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const person = await personOrSignIn(frames, request, reply);
  if (!person) return reply;
  const app = await findManagedApp(parts, person.actor, request.params);
  const ruled = await data.retention.findApp(app.id);
  if (!ruled) throw missing();
  const { rules } = ruled;
  const given: RetentionCase = {
    subject: {
      place: 'app',
      address: appRetentionPath(app),
      owner: app.owner,
      workspaceName: await workspaceNameOf(data, app.owner.id),
    },
    target: {
      place: 'app',
      id: app.id,
      name: `${app.packageName} (${app.platform})`,
      ownerId: app.owner.id,
    },
    rules,
    preview: async (rule, slice) => {
      const { rule: effective } = effectiveRule(withRule(rules, 'app', rule));
      const found = await previewApp(data, app.id, effective, parts.now(), slice);
      return { shown: { of: 'app', app, found }, lines: found.builds };
    },
  };
  return answerRetention(parts, request, reply, person, given, (answer, view) =>
    frames.send(answer, renderAppRetention({ ...view, frame: frames.of(request, person), app })),
  );
}

async function workspaceNameOf(data: Data, ownerId: string): Promise<string | null> {
  const owner = await data.owners.findOwnerById(ownerId);
  return owner ? workspaceOf(owner) : null;
}

const workspaceOf = (owner: Owner) =>
  owner.kind === 'project' ? (owner.workspace?.displayName ?? null) : null;

async function answerOwner(
  parts: RetentionRouteParts,
  request: FastifyRequest<OwnerAddress>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const known = await findKnownOwner(parts, request, reply, ({ standing }) => standing.oversees);
  if (!known) return reply;
  const { person, owner, standing } = known;
  const given: RetentionCase = {
    subject: {
      place: 'owner',
      address: ownerRetentionPath(owner),
      owner,
      workspaceName: workspaceOf(owner),
    },
    target: { place: 'owner', id: owner.id, name: owner.name, ownerId: owner.id },
    rules: await rulesOf(data, owner),
    preview: async (rule, slice) => {
      const found = await previewScope(data, { kind: 'owner', id: owner.id }, rule, parts.now(), slice);
      const listed = standing.views;
      return { shown: { of: 'owner', found, listed }, lines: listed ? found.lineCount : 0 };
    },
  };
  return answerRetention(parts, request, reply, person, given, (answer, view) =>
    frames.send(
      answer,
      renderOwnerRetention({ ...view, frame: frames.of(request, person), owner, standing }),
    ),
  );
}

async function answerWorkspace(
  parts: RetentionRouteParts,
  request: FastifyRequest<WorkspaceAddress>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const known = await findOverseenWorkspace(parts, request, reply);
  if (!known) return reply;
  const { person, workspace } = known;
  const { id, name } = workspace;
  const given: RetentionCase = {
    subject: {
      place: 'workspace',
      address: workspaceRetentionPath(name),
      owner: null,
      workspaceName: workspace.displayName,
    },
    target: { place: 'workspace', id, name, ownerId: null },
    rules: { app: null, owner: null, workspace: await data.retention.ruleOf('workspace', id) },
    preview: async (rule, slice) => {
      const found = await previewScope(data, { kind: 'workspace', id }, rule, parts.now(), slice);
      return { shown: { of: 'workspace', found, listed: true }, lines: found.lineCount };
    },
  };
  return answerRetention(parts, request, reply, person, given, (answer, view) =>
    frames.send(answer, renderWorkspaceRetention({ ...view, frame: frames.of(request, person), workspace })),
  );
}
