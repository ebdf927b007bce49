/**
 * A real OpenLDAP server with its own certificate authority, on free ports of the loopback address. It stays in memory of its folder
 * until `close`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { createTlsIdentity } from './tls-identity.ts';

/** Whether this machine can run the tests; `npm test` reports what is missing. */
export const hasSlapd = existsSync('/usr/sbin/slapd');

export const directoryReader = { dn: 'cn=reader,dc=example,dc=com', password: 'reader-password' };

export interface Slapd {
  ldaps: string;
  ldap: string;
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  /** Applies LDIF of changes as the administrator of the directory. */
  modify(ldif: string): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `entries`: LDIF below `dc=example,dc=com`. */
export async function startSlapd(
  entries: string,
  { configuration = '', schema = '' }: { configuration?: string; schema?: string } = {},
): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-slapd-'));
  const file = (name: string) => join(folder, name);
  const { key, cert } = createTlsIdentity(['localhost']);
  const [ldapPort, ldapsPort] = [await freePort(), await freePort()];
  await mkdir(file('db'));
  await writeFile(file('key.pem'), key);
  await writeFile(file('ca.pem'), cert);
  await writeFile(file('own.schema'), schema);
  await writeFile(
    file('slapd.conf'),
    [
      ...['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`),
      `include ${file('own.schema')}`,
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      `TLSCertificateFile ${file('ca.pem')}`,
      `TLSCertificateKeyFile ${file('key.pem')}`,
      'database mdb',
      'suffix dc=example,dc=com',
      'rootdn cn=root,dc=example,dc=com',
      'rootpw root-password',
      `directory ${file('db')}`,
      'maxsize 268435456',
      'dbnosync',
      'index objectClass,uid,mail,member,uniqueMember,memberUid,entryUUID eq',
      // A page has at most 500 entries, and all pages together any number.
      `limits dn.exact=${directoryReader.dn} size.soft=500 size.hard=500 size.prtotal=unlimited`,
      configuration,
      'access to attrs=userPassword by anonymous auth by * none',
      `access to * by dn.exact=${directoryReader.dn} read by * none`,
    ].join('\n'),
  );
  await writeFile(file('entries.ldif'), `${base}\n${entries}`);
  const added = spawnSync('/usr/sbin/slapadd', ['-q', '-f', file('slapd.conf'), '-l', file('entries.ldif')]);
  if (added.status !== 0) throw new Error(`slapadd: ${added.stderr}`);
  const addresses = `ldap://127.0.0.1:${ldapPort} ldaps://127.0.0.1:${ldapsPort}`;
  let server: ChildProcess | null = null;
  const start = async () => {
    server = spawn('/usr/sbin/slapd', ['-f', file('slapd.conf'), '-h', addresses, '-d', '0'], {
      stdio: 'ignore',
    });
    await accepts(ldapsPort);
  };
  const stop = async () => {
    const ended = server && once(server, 'exit');
    server?.kill('SIGTERM');
    server = null;
    await ended;
  };
  await start();
  return {
    ldaps: `ldaps://localhost:${ldapsPort}`,
    ldap: `ldap://localhost:${ldapPort}`,
    settings: {
      SLIPWAY_LDAP_URL: `ldaps://localhost:${ldapsPort}`,
      SLIPWAY_LDAP_CA: file('ca.pem'),
      SLIPWAY_LDAP_BIND_DN: directoryReader.dn,
      SLIPWAY_LDAP_BIND_PASSWORD: directoryReader.password,
      SLIPWAY_LDAP_BASE_DN: 'dc=example,dc=com',
    },
    modify: (ldif) => {
      const changed = spawnSync(
        '/usr/bin/ldapmodify',
        [
          '-x',
          '-H',
          `ldap://127.0.0.1:${ldapPort}`,
          '-D',
          'cn=root,dc=example,dc=com',
          '-w',
          'root-password',
        ],
        { input: ldif },
      );
      if (changed.status !== 0) throw new Error(`ldapmodify: ${changed.stderr}`);
    },
    start,
    stop,
    close: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

const base = `dn: dc=example,dc=com
objectClass: domain
dc: example

dn: ${directoryReader.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${directoryReader.password}

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=example,dc=com
objectClass: organizationalUnit
ou: groups
`;

export const personDn = (uid: string) => `uid=${uid},ou=people,dc=example,dc=com`;
export const groupDn = (cn: string) => `cn=${cn},ou=groups,dc=example,dc=com`;

export function personEntry(uid: string, attributes: readonly string[] = []): string {
  return [
    `dn: ${personDn(uid)}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    `cn: ${uid}`,
    `sn: ${uid}`,
    `mail: ${uid}@example.com`,
    `userPassword: ${directoryPassword}`,
    ...attributes,
    '',
    '',
  ].join('\n');
}

export const directoryPassword = 'password of the directory';

export function groupEntry(cn: string, members: readonly string[]): string {
  const lines = members.map((dn) => `member: ${dn}`);
  return [`dn: ${groupDn(cn)}`, 'objectClass: groupOfNames', `cn: ${cn}`, ...lines, '', ''].join('\n');
}

/** Resolves when the port accepts connections. */
export async function accepts(port: number, host = '127.0.0.1'): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const socket = connect(port, host);
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      socket.destroy();
    }
  }
}
