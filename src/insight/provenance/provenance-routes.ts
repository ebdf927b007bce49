import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import type { AppHeads } from '../../apps/app-heads.ts';
import { provenancePath } from '../../apps/app-paths.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { appAddresses, type VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import { receiveFileForm } from '../../blobs/file-form-http.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { toSentence } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { maxAttestationBytes } from './attestation.ts';
import type { ProvenanceChanges } from './provenance.ts';
import { renderProvenance } from './provenance-page.tsx';
import { provenanceTexts } from './provenance-texts.ts';
import { attestationField } from './verify-attestation.ts';

export interface ProvenanceRouteDeps {
  appHeads: AppHeads;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  managedBuild: ManagedAppAccess['managedBuild'];
  provenanceChanges: ProvenanceChanges;
  spool: Spool;
}

/** The same for the form and the API: each attestation costs the verification of several signatures. */
export const attestationRateLimit = {
  name: 'attestations',
  limit: 120,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'attestations',
} as const;

export function provenanceRoutes(deps: ProvenanceRouteDeps): Route[] {
  const { appHeads, provenanceChanges, spool } = deps;
  const page = '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/provenance';
  return [
    ...appAddresses.map((address) =>
      defineRoute({
        method: 'GET',
        path: `${address}/binaries/:revision/provenance`,
        summary: 'Show where a build comes from',
        access: deps.visibleBuild,
        keyScope: 'read',
        params: { revision: revisionText() },
        query: { done: lenient(v.picklist(['attached'])) },
        handle: async ({ subject, frame, query: { done } }) => {
          const { app, build, manages } = subject;
          return html(
            renderProvenance({
              frame,
              head: await appHeads.of(app, subject),
              build,
              provenance: await provenanceChanges.load(build),
              manages,
              done: done ? provenanceTexts.attach.done : null,
            }),
          );
        },
      }),
    ),
    defineRoute({
      method: 'POST',
      path: `${page}/attach`,
      summary: 'Attach an attestation to a build',
      access: deps.managedBuild,
      rateLimit: attestationRateLimit,
      params: { revision: revisionText() },
      streamedBody: { describes: formSchema },
      handle: ({ client, body, subject, frame }) =>
        receiveFileForm(
          { spool },
          {
            client,
            body,
            fileField: attestationField,
            maxFileBytes: maxAttestationBytes,
            fields: [],
            errors: formErrors(),
            save: async (file) => {
              await provenanceChanges.attach(subject, await readFile(file.path, 'utf8'));
              return redirect(`${provenancePath(subject.app, subject.build.revision)}?done=attached`);
            },
            renderError: async (error) =>
              renderProvenance({
                frame,
                head: await appHeads.ofManaged(subject.app),
                build: subject.build,
                provenance: await provenanceChanges.load(subject.build),
                manages: true,
                done: null,
                error: toSentence(error),
              }),
          },
        ),
    }),
  ];
}

function formErrors() {
  const { missing, several, tooLarge } = provenanceTexts.errors;
  return { missing, several, bytes: toSentence(tooLarge({ limit: maxAttestationBytes / 1024 })) };
}

/** The fields of the form, for the OpenAPI document. */
const formSchema = {
  type: 'object',
  required: ['csrf', attestationField],
  properties: { csrf: { type: 'string' }, [attestationField]: { type: 'string', format: 'binary' } },
};
