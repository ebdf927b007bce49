/** Provenance in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { maxAttestationBytes } from './attestation.ts';
import type { ProvenanceChanges } from './provenance.ts';
import { provenanceJson, provenanceShape } from './provenance-json.ts';
import { attestationRateLimit } from './provenance-routes.ts';

export interface ProvenanceApiDeps {
  access: RouteAccess;
  readableBuild: ManagedAppAccess['readableBuild'];
  managedBuild: ManagedAppAccess['managedBuild'];
  provenanceChanges: ProvenanceChanges;
}

/** Room for the other characters of the body, and for a bundle that is sent as text. */
const maxBodyBytes = 2 * maxAttestationBytes;

export function provenanceApiRoutes({
  access,
  readableBuild,
  managedBuild,
  provenanceChanges,
}: ProvenanceApiDeps): Route[] {
  const path = `${appApiPath}/builds/:revision/provenance` as const;
  const params = { revision: revisionText() };
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getBuildProvenance',
      summary: 'Show where a build comes from',
      tag: 'Builds',
      access: access.byKey(readableBuild),
      keyScope: 'read',
      params,
      answer: provenanceShape,
      handle: async ({ subject: { build } }) =>
        json(provenanceJson(build, await provenanceChanges.load(build))),
    }),
    defineRoute({
      method: 'POST',
      path,
      operationId: 'attachAttestation',
      summary: 'Attach an attestation to a build',
      description:
        'Slipway verifies the Sigstore bundle offline, and that its in-toto statement is about the file of the build. An attestation that the build has already changes nothing.',
      tag: 'Builds',
      access: access.byKey(managedBuild),
      keyScope: 'upload',
      rateLimit: attestationRateLimit,
      maxBodyBytes,
      params,
      json: {
        attestation: v.pipe(
          v.union([v.string(), v.record(v.string(), v.unknown())]),
          v.description('The Sigstore bundle as an object, or as text with one bundle per line.'),
        ),
      },
      answer: provenanceShape,
      handle: async ({ caller, subject: { app, build }, json: { attestation } }) => {
        const text = typeof attestation === 'string' ? attestation : JSON.stringify(attestation);
        await provenanceChanges.attach({ by: caller.actor, app, build }, text);
        return json(provenanceJson(build, await provenanceChanges.load(build)));
      },
    }),
  ];
}
