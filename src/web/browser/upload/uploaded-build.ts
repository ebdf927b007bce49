/** The response to an upload. */
import { isRecord } from '../json.ts';

export interface UploadedBuild {
  name: string;
  version: string;
  revision: number;
  /** Bytes. */
  fileSize: number;
  iconAddress: string;
  revisionAddress: string;
  /** Null if the build was not published. */
  pageAddress: string | null;
  pageName: string | null;
}

/** Returns null for anything else. */
export function readUploadedBuild(answer: unknown): UploadedBuild | null {
  if (!isRecord(answer) || !isRecord(answer.results)) return null;
  const { name, version_code, version_name, revision, file_size, icon, revision_url, distribution } =
    answer.results;
  if (typeof name !== 'string' || typeof version_code !== 'string') return null;
  if (typeof revision !== 'number' || typeof file_size !== 'number') return null;
  if (typeof icon !== 'string' || typeof revision_url !== 'string') return null;
  return {
    name,
    version: typeof version_name === 'string' ? `${version_name} (${version_code})` : version_code,
    revision,
    fileSize: file_size,
    iconAddress: icon,
    revisionAddress: revision_url,
    pageAddress: isRecord(distribution) && typeof distribution.url === 'string' ? distribution.url : null,
    pageName: isRecord(distribution) && typeof distribution.title === 'string' ? distribution.title : null,
  };
}
