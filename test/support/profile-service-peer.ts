/**
 * The iOS side of a profile service: fetches the profile, signs a response with the device's certificate, and posts it.
 */
import { build, parse } from 'plist';
import { buildCms, type CmsSpec, createSigningIdentity } from '../packages/ipa/signing-identity.ts';
import type { Answer } from './http-client.ts';
import { get } from './interface-client.ts';
import { phones } from './page-visits.ts';
import type { TestService } from './test-service.ts';

/** Like Apple's: a certificate authority for devices, and the device's own RSA key. */
const deviceAuthority = createSigningIdentity({ commonName: 'Test iPhone Device CA', keyType: 'rsa' });
export const deviceIdentity = createSigningIdentity({
  commonName: 'DEADBEEF-0000-4000-8000-000000000000',
  keyType: 'rsa',
  issuedBy: deviceAuthority,
});

export const testUdid = '00008110-000A1C2E3D41801E';

export const iphone13: Record<string, string> = {
  UDID: testUdid,
  PRODUCT: 'iPhone14,5',
  VERSION: '22B83',
  DEVICE_NAME: 'Mina’s iPhone',
};

export interface ServiceProfile {
  PayloadType: string;
  PayloadUUID: string;
  PayloadIdentifier: string;
  PayloadOrganization: string;
  PayloadDisplayName: string;
  PayloadVersion: number;
  PayloadContent: { URL: string; Challenge: string; DeviceAttributes: string[] };
}

export async function fetchProfile(
  slipway: TestService,
  accessKey: string,
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; profile: ServiceProfile }> {
  const answer = await get(slipway, `/distributions/${accessKey}/device.mobileconfig`, null, {
    headers: { 'User-Agent': phones.iphone, Accept: 'text/html', ...headers },
  });
  if (answer.headers['content-type'] !== 'application/x-apple-aspen-config') {
    throw new Error(`no profile but ${answer.status}: ${answer.text.slice(0, 200)}`);
  }
  return { answer, profile: parse(answer.text) as unknown as ServiceProfile };
}

type Attributes = Record<string, unknown>;

/** The requested attributes and the challenge. */
export function attributesFor(profile: ServiceProfile, device: Attributes): Attributes {
  const { DeviceAttributes, Challenge } = profile.PayloadContent;
  const asked = Object.entries(device).filter(([name]) => DeviceAttributes.includes(name));
  return { ...Object.fromEntries(asked), CHALLENGE: Challenge };
}

/** With SHA-1, indefinite lengths and segmented octets, as devices write it. */
export function signAnswer(attributes: Attributes, changes: Partial<CmsSpec> = {}): Buffer {
  return buildCms({
    content: Buffer.from(build(attributes as Parameters<typeof build>[0])),
    identity: deviceIdentity,
    digest: 'sha1',
    indefiniteLengths: true,
    ...changes,
  });
}

/** Without cookies, because it is not Safari that posts. */
export function postAnswer(
  slipway: TestService,
  address: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return get(slipway, address, null, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/pkcs7-signature', 'User-Agent': 'Profile/1.0', ...headers },
  });
}

/** The whole flow, up to the redirect for Safari; `cookie`: set with the profile. */
export async function registerLikeIos(
  slipway: TestService,
  accessKey: string,
  device: Attributes = iphone13,
  headers: Record<string, string> = {},
): Promise<Answer & { cookie: string }> {
  const { answer: page, profile } = await fetchProfile(slipway, accessKey, headers);
  const { Cookie: _, ...without } = headers;
  const body = signAnswer(attributesFor(profile, device));
  const answer = await postAnswer(slipway, profile.PayloadContent.URL, body, without);
  return { ...answer, cookie: page.headers['set-cookie']?.[0] ?? '' };
}
