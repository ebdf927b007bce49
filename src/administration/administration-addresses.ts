/** Addresses of the pages for administrators, as paths. */
import { siteAddresses } from '../web/shell/site-addresses.ts';

const segment = encodeURIComponent;

export const personPath = (name: string) => `${siteAddresses.people}/${segment(name)}`;
/** What somebody did, in the audit log of everything. */
export const actionsPath = (name: string) => `${siteAddresses.audit}?actor=${segment(name)}`;
export const workPath = (state: string | null) =>
  state === null ? siteAddresses.work : `${siteAddresses.work}?state=${segment(state)}`;
export const deadMailPath = `${siteAddresses.mailAdministration}?state=dead`;
