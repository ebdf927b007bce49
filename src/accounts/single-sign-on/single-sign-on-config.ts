/** The settings of single sign-on by OpenID Connect. */

export interface SingleSignOnConfig {
  /** As the provider calls itself; its metadata is found beneath it (OpenID Connect Discovery 1.0, section 4). */
  issuer: string;
  clientId: string;
  /** Null: the provider takes this server for a public client, which PKCE alone protects. */
  clientSecret: string | null;
  /** What people call the provider. */
  name: string;
  /** Who gets an account at the first sign-in: those with an invitation, or everybody whom the provider lets in. */
  signUp: 'invited' | 'open';
  /** Where sign-up is open: domains of confirmed addresses that get in, in lower case; none: everybody. */
  domains: string[];
}

export const singleSignOnSettings = [
  'SLIPWAY_OIDC_ISSUER',
  'SLIPWAY_OIDC_CLIENT_ID',
  'SLIPWAY_OIDC_CLIENT_SECRET',
  'SLIPWAY_OIDC_NAME',
  'SLIPWAY_OIDC_SIGN_UP',
  'SLIPWAY_OIDC_DOMAINS',
] as const;

type Setting = (typeof singleSignOnSettings)[number];
type Read = (name: Setting) => string | null;
type Fault = (text: string) => void;

export const maxProviderNameLength = 60;
const maxIssuerLength = 1024;
const maxDomains = 100;
const hostName = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** Null when it is not set up, and when a fault was told. */
export function readSingleSignOn(read: Read, fault: Fault): SingleSignOnConfig | null {
  const given = singleSignOnSettings.filter((name) => read(name) !== null);
  if (given.length === 0) return null;
  const issuer = readIssuer(read('SLIPWAY_OIDC_ISSUER'), given, fault);
  const clientId = read('SLIPWAY_OIDC_CLIENT_ID');
  if (issuer !== null && clientId === null) {
    fault('SLIPWAY_OIDC_CLIENT_ID goes with SLIPWAY_OIDC_ISSUER: what the provider calls this server');
  }
  const signUp = readSignUp(read('SLIPWAY_OIDC_SIGN_UP'), fault);
  const domains = readDomains(read('SLIPWAY_OIDC_DOMAINS'), fault);
  if (domains.length > 0 && signUp === 'invited') {
    fault('SLIPWAY_OIDC_DOMAINS goes with SLIPWAY_OIDC_SIGN_UP=open: it says who may make an account');
  }
  const name = read('SLIPWAY_OIDC_NAME') ?? (issuer === null ? '' : new URL(issuer).host);
  if (name.length > maxProviderNameLength && read('SLIPWAY_OIDC_NAME') !== null) {
    fault(`SLIPWAY_OIDC_NAME has at most ${maxProviderNameLength} characters`);
  }
  if (issuer === null || clientId === null) return null;
  return { issuer, clientId, clientSecret: read('SLIPWAY_OIDC_CLIENT_SECRET'), name, signUp, domains };
}

function readIssuer(text: string | null, given: readonly string[], fault: Fault): string | null {
  if (text === null) {
    fault(`${given.join(', ')} ${given.length === 1 ? 'goes' : 'go'} with SLIPWAY_OIDC_ISSUER`);
    return null;
  }
  const url = URL.parse(text);
  const plain = url && !url.username && !url.password && !url.search && !url.hash;
  if (!plain || text.length > maxIssuerLength || !/^https?:$/.test(url.protocol)) {
    fault(`SLIPWAY_OIDC_ISSUER is an address such as https://login.example.com, not ${text}`);
    return null;
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    fault(`SLIPWAY_OIDC_ISSUER starts with https: unless the provider runs on this machine, not ${text}`);
    return null;
  }
  return text;
}

/** `passwords`: whether people sign in with one of this server. Answers it. */
export function checkPasswords(passwords: boolean, read: Read, fault: Fault): boolean {
  if (!passwords && read('SLIPWAY_OIDC_ISSUER') === null) {
    fault('SLIPWAY_PASSWORDS=off goes with SLIPWAY_OIDC_ISSUER: without either nobody could sign in');
  }
  return passwords;
}

/** Nobody on the way can read or change what goes there. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function readSignUp(text: string | null, fault: Fault): SingleSignOnConfig['signUp'] {
  const word = text?.toLowerCase() ?? 'invited';
  if (word === 'invited' || word === 'open') return word;
  fault(`SLIPWAY_OIDC_SIGN_UP is invited or open, not ${text}`);
  return 'invited';
}

function readDomains(text: string | null, fault: Fault): string[] {
  if (text === null) return [];
  const domains = text.split(',').map((part) => part.trim().toLowerCase());
  if (domains.length > maxDomains) fault(`SLIPWAY_OIDC_DOMAINS lists at most ${maxDomains} domains`);
  for (const domain of domains) {
    if (!hostName.test(domain)) {
      fault(`SLIPWAY_OIDC_DOMAINS lists domains such as example.com, separated by commas, not ${domain}`);
    }
  }
  return domains;
}
