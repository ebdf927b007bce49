export interface AccountEmail {
  to: { name: string; address: string };
  subject: string;
  /** Plain text. */
  lines: readonly string[];
  /** `path` on this server. */
  link: { label: string; path: string };
  /** The reason for the email, given the host of this server and the name of its brand. By default: someone requested it. */
  reason?: (values: { host: string; site: string }) => string;
}
