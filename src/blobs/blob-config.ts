/** Where blobs are stored, from SLIPWAY_BLOB_URL: `file:FOLDER` or `s3://BUCKET/PREFIX?endpoint=…`. */
import { resolve } from 'node:path';

export type BlobConfig = DiskBlobConfig | S3BlobConfig;

export interface DiskBlobConfig {
  kind: 'disk';
  folder: string;
}

export interface S3BlobConfig {
  kind: 's3';
  bucket: string;
  /** Prepended to every key; ends with `/`, or is empty. */
  prefix: string;
  /** Origin of the S3 service; null for Amazon’s endpoint in the region. */
  endpoint: string | null;
  /** Where clients reach the service through links; null if at `endpoint`. */
  publicEndpoint: string | null;
  region: string;
  /** Path-style addressing: the bucket is part of the path, not of the host name. */
  pathStyle: boolean;
  /** Whether clients download packages from the service through presigned links. Otherwise Slipway sends them. */
  links: boolean;
  /** Null to use the credentials that the SDK finds, such as the role of the machine. */
  credentials: S3Credentials | null;
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** The environment variables that S3 programs share. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The region that services other than Amazon’s expect unless they define their own. */
const defaultRegion = 'us-east-1';

/** Bucket names (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html), including old ones with `_`. */
const bucketPattern = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/;
/** Allows only characters that never need encoding, and no segment that a client or proxy would resolve. */
const prefixPattern = /^(?:(?!\.{1,2}\/)[A-Za-z0-9_.-]+\/)*$/;
const longestPrefix = 512;
const regionPattern = /^[a-z0-9-]{1,64}$/;
const parameterNames = ['endpoint', 'publicEndpoint', 'region', 'pathStyle', 'links'] as const;

/**
 * Throws an Error that says what is wrong but never quotes the text, which may contain a secret. A relative folder is relative to
 * `dataFolder`.
 */
export function readBlobConfig(text: string, dataFolder: string, environment: Environment): BlobConfig {
  if (text.startsWith('s3://')) return readS3(text, environment);
  const path = text.startsWith('file:') ? text.slice('file:'.length).replace(/^\/\/(?=\/)/, '') : '';
  if (!path) throw new Error('must start with file: and a folder, or with s3:// and a bucket');
  return { kind: 'disk', folder: resolve(dataFolder, path) };
}

/** Returns warnings, as full sentences, about settings that are valid but will not work. */
export function blobConfigWarnings(config: BlobConfig, publicUrl: string | null): string[] {
  if (config.kind === 'disk' || !config.links || !publicUrl?.startsWith('https:')) return [];
  if (!(config.publicEndpoint ?? config.endpoint)?.startsWith('http:')) return [];
  return [
    'SLIPWAY_BLOB_URL: browsers block http downloads from https pages. Set publicEndpoint to an https address, or links=false.',
  ];
}

/** Where links lead. A bucket whose name has dots is addressed in the path in any case. */
export function linkOrigins(config: BlobConfig): string[] {
  if (config.kind === 'disk' || !config.links) return [];
  const { bucket, region } = config;
  const amazon = `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { origin, protocol, host } = new URL(config.publicEndpoint ?? config.endpoint ?? amazon);
  return config.pathStyle || bucket.includes('.') ? [origin] : [`${protocol}//${bucket}.${host}`];
}

function readS3(text: string, environment: Environment): S3BlobConfig {
  const url = URL.parse(text);
  if (!url || !bucketPattern.test(url.hostname) || url.port) {
    throw new Error('must name a bucket: s3://BUCKET/PREFIX?endpoint=https://HOST');
  }
  if (url.username || url.password) {
    throw new Error('must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  }
  const prefix = url.pathname.replace(/^\/+|(?<!\/)\/+$/g, '').replace(/(?<=.)$/, '/');
  if (!prefixPattern.test(prefix) || prefix.length > longestPrefix || url.hash) {
    throw new Error('must have a prefix of letters, digits, "/", "-", "_" and "." only');
  }
  checkParameters(url.searchParams);
  const endpoint = readOrigin(url.searchParams, 'endpoint');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix,
    endpoint,
    publicEndpoint: readOrigin(url.searchParams, 'publicEndpoint'),
    region: readRegion(url.searchParams, endpoint, environment),
    pathStyle: readSwitch(url.searchParams, 'pathStyle', endpoint !== null),
    links: readSwitch(url.searchParams, 'links', true),
    credentials: readCredentials(environment),
  };
}

function checkParameters(parameters: URLSearchParams): void {
  const names = [...parameters.keys()];
  const known = names.every((name) => parameterNames.some((other) => other === name));
  if (known && new Set(names).size === names.length) return;
  throw new Error(`accepts only the parameters ${parameterNames.join(', ')}, each once`);
}

function readOrigin(parameters: URLSearchParams, name: string): string | null {
  const text = parameters.get(name);
  if (text === null) return null;
  const url = URL.parse(text);
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash;
  if (plain && url.pathname === '/') return url.origin;
  throw new Error(`must give ${name} as an origin such as https://s3.example.com, without a path`);
}

function readRegion(parameters: URLSearchParams, endpoint: string | null, environment: Environment): string {
  const named = parameters.get('region') || environment.AWS_REGION || environment.AWS_DEFAULT_REGION;
  const region = named || (endpoint === null ? '' : defaultRegion);
  if (regionPattern.test(region)) return region;
  throw new Error('needs a region such as ?region=eu-central-1, or an endpoint');
}

function readSwitch(parameters: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = parameters.get(name);
  if (text === null) return otherwise;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`has ${name}=true or ${name}=false`);
}

function readCredentials(environment: Environment): S3Credentials | null {
  const accessKeyId = environment.AWS_ACCESS_KEY_ID?.trim();
  const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY?.trim();
  const sessionToken = environment.AWS_SESSION_TOKEN?.trim();
  if (!accessKeyId && !secretAccessKey) return null;
  if (!accessKeyId || !secretAccessKey) {
    throw new Error('needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY together');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
