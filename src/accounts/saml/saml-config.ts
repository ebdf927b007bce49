/** The settings of single sign-on by SAML 2.0 for the whole installation. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { reasonOf } from '../../core/errors.ts';
import type { SettingName, Settings } from '../../core/settings.ts';
import {
  type AdmissionRules,
  maxProviderNameLength,
  readAdmissionRules,
} from '../single-sign-on/single-sign-on-config.ts';

export interface SamlConfig extends AdmissionRules {
  /** The provider's name in the UI. */
  name: string;
  /** A file, or an address that is fetched again every hour. */
  metadata: { kind: 'file'; path: string } | { kind: 'url'; url: string };
  attributes: AttributeMapping;
  /** Whether the addresses that the provider sends count as confirmed. */
  confirmsEmail: boolean;
}

export interface ServiceProviderKey {
  privateKey: KeyObject;
  /** In PEM. */
  certificate: string;
}

/** Names of attributes. */
export interface AttributeMapping {
  /** The permanent identifier; null if that is NameID. */
  subject: string | null;
  /** In the order of preference. */
  email: readonly string[];
  name: readonly string[];
  /** Null if groups are not read. */
  groups: string | null;
}

/** What Entra ID, Okta, Keycloak, Google and eduPerson call them. */
export const defaultAttributes: AttributeMapping = {
  subject: null,
  email: [
    'email',
    'mail',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  ],
  name: [
    'username',
    'uid',
    'urn:oid:0.9.2342.19200300.100.1.1',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
  ],
  groups: null,
};

export const samlSettings = [
  'SLIPWAY_SAML_METADATA',
  'SLIPWAY_SAML_NAME',
  'SLIPWAY_SAML_KEY',
  'SLIPWAY_SAML_ATTRIBUTES',
  'SLIPWAY_SAML_CONFIRMS_EMAIL',
  'SLIPWAY_SAML_SIGN_UP',
  'SLIPWAY_SAML_DOMAINS',
] as const satisfies readonly SettingName[];

/** The key that signs requests and decrypts assertions, for all providers; null without one. */
export const readSamlKey = (settings: Settings): ServiceProviderKey | null =>
  settings.checked('SLIPWAY_SAML_KEY', readKeyFile);

/** Null if not configured, or if an error was reported. */
export function readSaml(settings: Settings): SamlConfig | null {
  const given = samlSettings.filter((name) => name !== 'SLIPWAY_SAML_KEY' && settings.text(name) !== null);
  const rules = readAdmissionRules(settings, 'SLIPWAY_SAML');
  const confirmsEmail = settings.isOn('SLIPWAY_SAML_CONFIRMS_EMAIL', false);
  const attributes = settings.checked('SLIPWAY_SAML_ATTRIBUTES', readAttributeMapping) ?? defaultAttributes;
  const metadata = settings.checked('SLIPWAY_SAML_METADATA', readMetadataPlace);
  if (given.length === 0) return null;
  if (settings.text('SLIPWAY_SAML_METADATA') === null)
    settings.addError(`${given.join(', ')} cannot be used without SLIPWAY_SAML_METADATA`);
  if (settings.text('SLIPWAY_URL') === null)
    settings.addError(
      'SLIPWAY_SAML_METADATA requires SLIPWAY_URL: providers identify this server by its address',
    );
  if (rules.domains.length > 0 && !confirmsEmail)
    settings.addError(
      'SLIPWAY_SAML_DOMAINS requires SLIPWAY_SAML_CONFIRMS_EMAIL=on: it compares confirmed addresses',
    );
  const name = settings.text('SLIPWAY_SAML_NAME') ?? 'SAML';
  if (name.length > maxProviderNameLength)
    settings.addError(`SLIPWAY_SAML_NAME must have at most ${maxProviderNameLength} characters`);
  return metadata && { name, metadata, attributes, confirmsEmail, ...rules };
}

function readMetadataPlace(text: string): SamlConfig['metadata'] {
  if (!/^https?:/i.test(text)) return { kind: 'file', path: text };
  const url = URL.parse(text);
  if (!url || url.username || url.hash)
    throw new Error('must be a file or an address such as https://login.example.com/metadata');
  return { kind: 'url', url: url.href };
}

/** A file with a private key and a certificate, both in PEM. */
function readKeyFile(path: string): ServiceProviderKey {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read: ${reasonOf(error)}`);
  }
  const privatePart = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(
    pem,
  )?.[0];
  const certificatePart = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem)?.[0];
  if (!privatePart || !certificatePart)
    throw new Error('must be a file with a private key and its certificate, both in PEM');
  const privateKey = createPrivateKey(privatePart);
  const certificate = new X509Certificate(certificatePart);
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('must contain an RSA key');
  if (!certificate.checkPrivateKey(privateKey)) throw new Error('contains a certificate of another key');
  return { privateKey, certificate: certificate.toString() };
}

/** Such as `email=mail, name=uid, subject=employeeNumber`. */
export function readAttributeMapping(text: string): AttributeMapping {
  const mapping = { ...defaultAttributes };
  for (const part of text.split(',')) {
    const [, field, name] = /^\s*(subject|email|name|groups)\s*=\s*(\S.{0,199}?)\s*$/.exec(part) ?? [];
    if (field === undefined || name === undefined)
      throw new Error('must list pairs such as email=mail, name=uid, subject=employeeNumber');
    Object.assign(mapping, { [field]: field === 'subject' || field === 'groups' ? name : [name] });
  }
  return mapping;
}
