/** Addresses of Owners and Workspaces, as paths; `absolute` puts the public origin in front. */
const segment = encodeURIComponent;

export const userPath = (name: string) => `/users/${segment(name)}`;
export const projectPath = (name: string) => `/organizations/${segment(name)}`;
export const workspacePath = (name: string) => `/enterprises/${segment(name)}`;

export const absolute = (origin: string, path: string) => `${origin}${path}`;
