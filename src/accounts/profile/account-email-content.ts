export interface AccountEmail {
  to: { name: string; address: string };
  subject: string;
  /** Plain text. */
  lines: readonly string[];
  /** `path` on this server. */
  link: { label: string; path: string };
  /** Why it comes, given the host of this server; because somebody asked for it when absent. */
  reason?: (host: string) => string;
}
