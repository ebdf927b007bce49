/** Converts builds to and from rows of the database. */
import type { Insertable, Selectable } from 'kysely';
import type { Tables } from '../../db/tables.ts';
import type { Build, BundleApk, IconState } from '../app.ts';
import { buildFields, buildFieldsBy, mapBuildFields } from '../build-fields.ts';

/** The columns that contain keys of stored files. All code that looks for such keys uses this list. */
export const blobColumns = ['package_blob', 'simulator_blob', 'apk_blob', 'icon_blob'] as const;

type BlobColumns = Pick<Selectable<Tables['builds']>, (typeof blobColumns)[number]>;

export const blobsOf = (row: BlobColumns): string[] =>
  blobColumns.map((column) => row[column]).filter((key) => key !== null);

/** Every column, so that none is forgotten, except `signer`, which the database derives from `info`. */
export function toBuildRow(build: Build): Required<Omit<Insertable<Tables['builds']>, 'signer'>> {
  return {
    id: build.id,
    app_id: build.appId,
    revision: build.revision,
    name: build.info.name,
    version_name: build.info.versionName,
    version_code: build.info.versionCode,
    info: JSON.stringify(build.info),
    size_bytes: build.sizeBytes,
    md5: build.md5,
    sha256: build.sha256,
    package_blob: build.packageBlob,
    simulator_blob: build.simulatorBlob,
    simulator_bytes: build.simulatorBytes,
    simulator_sha256: build.simulatorSha256,
    ...apkColumns(build.apk),
    icon_state: build.icon.state,
    icon_blob: build.icon.state === 'drawn' ? build.icon.blob : null,
    verification: build.verification === null ? null : JSON.stringify(build.verification),
    message: build.message,
    ...buildFieldsBy('column', (field) => build[field]),
    upload_warnings: JSON.stringify(build.uploadWarnings),
    uploaded_by: build.uploadedBy,
    created_at: build.createdAt,
    protected: build.protected ? 1 : 0,
    deleted_at: null,
    deleted_by: null,
    spared_until: null,
    damage: build.damage === null ? null : JSON.stringify(build.damage),
    source: build.source === null ? null : JSON.stringify(build.source),
  };
}

export function toBuild(row: Selectable<Tables['builds']>): Build {
  return {
    id: row.id,
    appId: row.app_id,
    revision: row.revision,
    info: JSON.parse(row.info),
    sizeBytes: row.size_bytes,
    md5: row.md5,
    sha256: row.sha256,
    packageBlob: row.package_blob,
    simulatorBlob: row.simulator_blob,
    simulatorBytes: row.simulator_bytes,
    simulatorSha256: row.simulator_sha256,
    apk: toApk(row),
    icon: toIconState(row.icon_state, row.icon_blob),
    verification: row.verification === null ? null : JSON.parse(row.verification),
    message: row.message,
    ...mapBuildFields((field) => row[buildFields[field].column]),
    uploadWarnings: JSON.parse(row.upload_warnings),
    uploadedBy: row.uploaded_by,
    createdAt: row.created_at,
    protected: row.protected === 1,
    damage: row.damage === null ? null : JSON.parse(row.damage),
    source: row.source === null ? null : JSON.parse(row.source),
  };
}

export function apkColumns(apk: BundleApk | null) {
  return {
    apk_state: apk?.state ?? null,
    apk_percent: apk?.state === 'converting' ? apk.percent : null,
    apk_blob: apk?.state === 'ready' ? apk.blob : null,
    apk_bytes: apk?.state === 'ready' ? apk.sizeBytes : null,
    apk_sha256: apk?.state === 'ready' ? apk.sha256 : null,
    apk_error: apk?.state === 'failed' ? apk.reason : null,
  };
}

type ApkColumns = Pick<Selectable<Tables['builds']>, keyof ReturnType<typeof apkColumns>>;

function toApk(row: ApkColumns): BundleApk | null {
  const { apk_blob: blob, apk_bytes: sizeBytes, apk_sha256: sha256 } = row;
  if (row.apk_state === null) return null;
  if (blob !== null && sizeBytes !== null && sha256 !== null)
    return { state: 'ready', blob, sizeBytes, sha256 };
  return row.apk_error === null
    ? { state: 'converting', percent: row.apk_percent ?? 0 }
    : { state: 'failed', reason: row.apk_error };
}

function toIconState(state: string, blob: string | null): IconState {
  if (state === 'drawn' && blob !== null) return { state: 'drawn', blob };
  return state === 'none' ? { state: 'none' } : { state: 'pending' };
}
