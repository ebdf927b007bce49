/** JSON payloads of webhooks. */
import type { WebhookKind } from '../webhook.ts';
import type { EventFacts } from './event-facts.ts';
import { slackPayload } from './slack-json.ts';
import { teamsPayload } from './teams-json.ts';

/** Renders the body of a delivery. `origin`: the public origin, or null to omit URLs. */
export function webhookBody(kind: WebhookKind, facts: EventFacts, origin: string | null): string {
  if (kind === 'slack') return JSON.stringify(slackPayload(facts, origin));
  if (kind === 'teams') return JSON.stringify(teamsPayload(facts, origin));
  return JSON.stringify(ownPayload(facts, origin));
}

/** `type`, `timestamp` and `data` as in Standard Webhooks 1.0.0, "Payload structure". */
function ownPayload(facts: EventFacts, origin: string | null) {
  const { app, build, page, deletion, goneOwner } = facts;
  const url = (path: string | null) => (origin === null || path === null ? null : `${origin}${path}`);
  return {
    type: facts.event,
    timestamp: new Date(facts.at).toISOString(),
    data: {
      app: app && {
        name: app.name,
        package_name: app.packageName,
        platform: app.platform,
        owner: { kind: app.owner.kind, name: app.owner.name },
        url: url(app.path),
      },
      build: build && {
        revision: build.revision,
        version_name: build.versionName,
        version_code: build.versionCode,
        message: build.message,
        branch: build.branch,
        commit: build.commit,
        build_url: build.buildUrl,
        label: build.label,
        file_size: build.sizeBytes,
        sha256: build.sha256,
        uploaded_by: build.uploadedBy,
        url: url(build.path),
      },
      distribution: page && { name: page.name, release_note: page.releaseNote, url: url(page.path) },
      ...(deletion
        ? {
            deleted: {
              revisions: deletion.revisions,
              count: deletion.count,
              by: deletion.by,
              app_deleted: deletion.withApp,
            },
          }
        : {}),
      ...(goneOwner
        ? {
            owner: { kind: goneOwner.kind, name: goneOwner.name },
            deleted: { apps: goneOwner.apps, count: goneOwner.builds, by: goneOwner.by },
          }
        : {}),
    },
  };
}
