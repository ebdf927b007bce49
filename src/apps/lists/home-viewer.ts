/** The likely tasks of a person on the start page, and the actions that the installation permits. */
import type { Data } from '../../db/data.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import type { User } from '../../owners/owner.ts';
import { uploadingTeams } from '../../owners/permissions.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { projectListQueries } from '../../projects/lists/project-list-queries.ts';

export interface HomeViewer {
  /** Only installs apps of others: has no apps, and no upload permission in any Project. */
  onlyTests: boolean;
  mayCreateProjects: boolean;
  mayUpload: boolean;
}

/** `projectIds`: of all Projects of the user. */
export async function loadHomeViewer(
  data: Data,
  user: User,
  projectIds: readonly string[],
): Promise<HomeViewer> {
  const teams = [...(await projectListQueries(data).teamsByProject(user.id, projectIds)).values()].flat();
  const uploads = teams.some((team) => uploadingTeams.includes(team));
  const quota = await quotaQueries(data).find(user.id);
  const mayUpload = uploads || quota?.maxBuilds !== 0;
  const mayCreateProjects =
    quota?.maxProjects == null || (await quotaQueries(data).countProjectsOf(user.id)) < quota.maxProjects;
  const tests = projectIds.length > 0 || (await appTesterQueries(data).hasAny(user.id));
  const develops = uploads || user.administrator || (await quotaQueries(data).usageOf(user.id)).apps > 0;
  return {
    onlyTests: !develops && (tests || !(mayUpload || mayCreateProjects)),
    mayCreateProjects,
    mayUpload,
  };
}
