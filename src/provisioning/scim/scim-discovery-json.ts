/** What a directory can find out about this server: its configuration, resource types and schemas (RFC 7643, sections 5 to 7). */
import { schemaIds, scimLimits } from './scim.ts';

type Json = Record<string, unknown>;

const metaOf = (resourceType: string, location: string) => ({ meta: { resourceType, location } });

export const serviceProviderConfig = (base: string) => ({
  schemas: [schemaIds.serviceProviderConfig],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: scimLimits.results },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the Workspace in the Authorization header.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  ...metaOf('ServiceProviderConfig', `${base}/ServiceProviderConfig`),
});

export const resourceTypes = (base: string): Json[] =>
  [
    { id: 'User', endpoint: '/Users', description: 'Person', schema: schemaIds.user },
    { id: 'Group', endpoint: '/Groups', description: 'Group of people', schema: schemaIds.group },
  ].map((type) => ({
    schemas: [schemaIds.resourceType],
    name: type.id,
    ...type,
    schemaExtensions: [],
    ...metaOf('ResourceType', `${base}/ResourceTypes/${type.id}`),
  }));

interface AttributeOptions {
  type?: 'string' | 'boolean' | 'complex' | 'reference';
  multiValued?: true;
  required?: true;
  caseExact?: true;
  mutability?: 'readOnly' | 'immutable';
  uniqueness?: 'server';
  subAttributes?: readonly Json[];
  referenceTypes?: readonly string[];
  canonicalValues?: readonly string[];
}

const attribute = (name: string, description: string, options: AttributeOptions = {}): Json => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const userAttributes = [
  attribute('userName', 'Unique in the directory, ignoring case.', { required: true, uniqueness: 'server' }),
  attribute('name', 'The name of the person.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The full name.'),
      attribute('familyName', 'The family name.'),
      attribute('givenName', 'The given name.'),
    ],
  }),
  attribute('displayName', 'The name to show.'),
  attribute(
    'emails',
    'Email addresses. Slipway stores one: the primary one, else the one for work, else the first.',
    {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The address.'),
        attribute('type', 'Such as work.', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('primary', 'Whether it is the one to use.', { type: 'boolean' }),
      ],
    },
  ),
  attribute('active', 'Whether the person has access.', { type: 'boolean' }),
];

const groupAttributes = [
  attribute('displayName', 'Unique in the directory, ignoring case.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('members', 'The people in the group.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of a user.', { caseExact: true, mutability: 'immutable' }),
      attribute('$ref', 'The address of the user.', {
        type: 'reference',
        caseExact: true,
        mutability: 'immutable',
        referenceTypes: ['User'],
      }),
      attribute('type', 'User.', { mutability: 'immutable', canonicalValues: ['User'] }),
      attribute('display', 'The userName.', { mutability: 'readOnly' }),
    ],
  }),
];

export const schemas = (base: string): Json[] =>
  [
    { id: schemaIds.user, name: 'User', description: 'A person', attributes: userAttributes },
    { id: schemaIds.group, name: 'Group', description: 'A group of people', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: [schemaIds.schema],
    ...schema,
    ...metaOf('Schema', `${base}/Schemas/${schema.id}`),
  }));
