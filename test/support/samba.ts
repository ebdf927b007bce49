/**
 * A real Active Directory: the domain controller of Samba, on an address of the loopback network, in a temporary folder. Creating the
 * domain takes about ten seconds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepts } from './slapd.ts';
import { createTlsIdentity } from './tls-identity.ts';

/** Whether this machine can run the tests: Samba listens on ports that only root may use. `npm test` reports what is missing. */
export const hasSamba =
  existsSync('/usr/sbin/samba') && existsSync('/usr/share/samba/setup/ad-schema') && process.getuid?.() === 0;

export const domainDn = 'DC=example,DC=com';
export const domainPassword = 'Passw0rd of the directory';
export const accountDn = (name: string) => `CN=${name},OU=staff,${domainDn}`;

export interface Samba {
  host: string;
  /** The settings of a service that uses it. */
  settings: Record<string, string>;
  /** Applies LDIF of changes as the administrator of the domain. */
  modify(ldif: string): void;
  close(): Promise<void>;
}

/** `entries`: LDIF of changes. The reader is an account like any other. */
export async function startSamba(entries: string): Promise<Samba> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-samba-'));
  const file = (name: string) => join(folder, name);
  // The ports are fixed, so runs at the same time need different addresses.
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;
  const { key, cert } = createTlsIdentity([host]);
  await writeFile(file('ca.pem'), cert);
  await writeFile(file('key.pem'), key, { mode: 0o600 });
  await mkdir(file('private'));
  await writeFile(file('smb.conf'), configurationOf(folder, host));
  const run = (program: string, args: readonly string[], input = '') => {
    const { status, stderr, stdout } = spawnSync(program, args, {
      input,
      encoding: 'utf8',
      env: { ...process.env, LDAPTLS_CACERT: file('ca.pem') },
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}${stdout}`);
  };
  run('/usr/bin/samba-tool', [
    ...['domain', 'provision', '-s', file('smb.conf'), '--realm=EXAMPLE.COM', '--domain=EXAMPLE'],
    ...['--server-role=dc', '--host-name=dc', `--host-ip=${host}`, '--dns-backend=NONE'],
    `--adminpass=${domainPassword}`,
  ]);
  const server: ChildProcess = spawn(
    '/usr/sbin/samba',
    ['-s', file('smb.conf'), '-F', '-M', 'single', '--no-process-group'],
    { stdio: 'ignore' },
  );
  const modify = (ldif: string) =>
    run(
      '/usr/bin/ldapmodify',
      ['-x', '-H', `ldaps://${host}`, '-D', 'administrator@example.com', '-w', domainPassword],
      ldif,
    );
  const close = async () => {
    const isRunning = server.exitCode === null && server.signalCode === null;
    const ended = isRunning && once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await accepts(636, host);
    modify(`${base}\n${entries}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    host,
    settings: {
      SLIPWAY_LDAP_URL: `ldaps://${host}`,
      SLIPWAY_LDAP_TYPE: 'active-directory',
      SLIPWAY_LDAP_CA: file('ca.pem'),
      SLIPWAY_LDAP_BIND_DN: 'reader@example.com',
      SLIPWAY_LDAP_BIND_PASSWORD: domainPassword,
      SLIPWAY_LDAP_BASE_DN: domainDn,
    },
    modify,
    close,
  };
}

const configurationOf = (folder: string, host: string) => `[global]
netbios name = DC
realm = EXAMPLE.COM
workgroup = EXAMPLE
server role = active directory domain controller
server services = ldap
interfaces = ${host}/8
bind interfaces only = yes
private dir = ${folder}/private
state directory = ${folder}/state
cache directory = ${folder}/cache
lock directory = ${folder}/lock
pid directory = ${folder}
ncalrpc dir = ${folder}/ncalrpc
binddns dir = ${folder}/bind-dns
log file = ${folder}/log
tls certfile = ${folder}/ca.pem
tls keyfile = ${folder}/key.pem
tls cafile =
[sysvol]
path = ${folder}/state/sysvol
[netlogon]
path = ${folder}/state/sysvol/scripts
`;

/** A password is the quoted text in UTF-16 (MS-ADTS, section 3.1.1.3.1.5.1). */
const encodedPassword = Buffer.from(`"${domainPassword}"`, 'utf16le').toString('base64');

/** NORMAL_ACCOUNT with DONT_EXPIRE_PASSWORD. */
export const enabledAccount = 0x200 + 0x10000;

export function accountEntry(name: string, attributes: readonly string[] = []): string {
  const control = attributes.some((line) => line.startsWith('userAccountControl:'));
  return [
    `dn: ${accountDn(name)}`,
    'changetype: add',
    'objectClass: user',
    `sAMAccountName: ${name}`,
    `userPrincipalName: ${name}@login.example.com`,
    `mail: ${name}@example.com`,
    `unicodePwd:: ${encodedPassword}`,
    ...(control ? [] : [`userAccountControl: ${enabledAccount}`]),
    ...attributes,
    '',
    '',
  ].join('\n');
}

export function domainGroupEntry(name: string, members: readonly string[]): string {
  const lines = members.map((dn) => `member: ${dn}`);
  const head = [`dn: ${accountDn(name)}`, 'changetype: add', 'objectClass: group', `sAMAccountName: ${name}`];
  return [...head, ...lines, '', ''].join('\n');
}

export const changeEntry = (name: string, attribute: string, value: string | number) =>
  `dn: ${accountDn(name)}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: ${value}\n\n`;

const base = `dn: OU=staff,${domainDn}
changetype: add
objectClass: organizationalUnit

${accountEntry('reader', ['userPrincipalName: reader@example.com']).replace(/^userPrincipalName: .*login.*\n/m, '')}`;
