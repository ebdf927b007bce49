/** Paths of the pages for administrators. */
import { siteAddresses } from '../web/shell/site-addresses.ts';

const segment = encodeURIComponent;

export const personPath = (name: string) => `${siteAddresses.people}/${segment(name)}`;
/** The person’s actions in the site-wide audit log. */
export const actionsPath = (name: string) => `${siteAddresses.audit}?actor=${segment(name)}`;
export const jobsPath = (state: string | null) =>
  state === null ? siteAddresses.work : `${siteAddresses.work}?state=${segment(state)}`;
export const deadMailPath = `${siteAddresses.mailAdministration}?state=dead`;
