/** Paths of the pages for administrators. */
import { sitePaths } from '../web/shell/site-paths.ts';

const segment = encodeURIComponent;

export const personPath = (name: string) => `${sitePaths.people}/${segment(name)}`;
/** The person’s actions in the site-wide audit log. */
export const actionsPath = (name: string) => `${sitePaths.audit}?actor=${segment(name)}`;
export const jobsPath = (state: string | null) =>
  state === null ? sitePaths.work : `${sitePaths.work}?state=${segment(state)}`;
export const deadMailPath = `${sitePaths.mailAdministration}?state=dead`;
