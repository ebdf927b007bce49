// The programs that suites drive or compare with. None is needed to run the others.
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** By path or by name, with the Debian packages that contain them. */
const testTools = [
  { program: 'aapt2', packages: ['aapt'], suite: 'Android facts against aapt2 and aapt' },
  { program: 'apksigner', packages: ['apksigner'], suite: 'APK signatures against apksigner' },
  { program: 'openssl', packages: ['openssl'], suite: 'profile and IPA signatures against openssl' },
  { program: 'python3', packages: ['python3'], suite: 'property lists against plistlib' },
  { program: '/usr/bin/chromium', packages: ['chromium'], suite: 'pages in a real browser' },
  {
    program: '/usr/bin/chromium-headless-shell',
    packages: ['chromium-headless-shell'],
    suite: 'nothing, but pages in chromium take half as much processor time again',
  },
  {
    program: '/usr/bin/radosgw',
    packages: ['radosgw', 'ceph-mon', 'ceph-osd'],
    suite: 'blobs on a real S3 service',
  },
  { program: '/usr/sbin/nginx', packages: ['nginx-light'], suite: 'the nginx example and the doctor' },
  { program: '/usr/bin/caddy', packages: ['caddy'], suite: 'the Caddy example and the doctor' },
  { program: '/usr/sbin/slapd', packages: ['slapd', 'ldap-utils'], suite: 'LDAP against OpenLDAP' },
  {
    program: '/usr/sbin/samba',
    packages: ['samba', 'samba-ad-provision', 'samba-dsdb-modules', 'samba-vfs-modules', 'ldap-utils'],
    suite: 'LDAP against Active Directory',
  },
  { program: 'fail2ban-regex', packages: ['fail2ban'], suite: 'the fail2ban filter against fail2ban' },
  { program: '/usr/bin/zsh', packages: ['zsh'], suite: 'completion in zsh' },
  { program: '/usr/bin/fish', packages: ['fish'], suite: 'completion in fish' },
  { program: 'ruby', packages: ['ruby'], suite: 'the fastlane plugin' },
  { program: 'javac', packages: ['default-jdk-headless'], suite: 'the Gradle plugin' },
  { program: 'gradle', packages: ['gradle'], suite: 'the Gradle plugin' },
  { program: 'promtool', packages: ['prometheus'], suite: 'alert rules and the dashboard' },
  { program: 'go', packages: ['golang-go'], suite: 'the templates of the Helm chart' },
  { program: '/usr/bin/curl', packages: ['curl'], suite: 'documented commands' },
  { program: '/usr/bin/git', packages: ['git'], suite: 'documented commands' },
  { program: '/usr/bin/rsync', packages: ['rsync'], suite: 'the GitLab component in gitlab-ci-local' },
  { program: '/usr/bin/readelf', packages: ['binutils'], suite: 'alignment of native libraries' },
  { program: '/usr/bin/unzip', packages: ['unzip'], suite: 'alignment of native libraries' },
  { program: '/usr/bin/shellcheck', packages: ['shellcheck'], suite: 'shell scripts of integrations' },
];

export function missingTestTools() {
  return testTools.filter(({ program }) => !isPresent(program));
}

function isPresent(program) {
  if (isAbsolute(program)) return existsSync(program);
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
