/** Texts of the doctor, for its page and the terminal. Separate from those of the shell because of their size. */
export const en = {
  lead: 'Checks what a phone needs before it can install from this server: its public address, its certificate, the proxy in front, disk space, clock and email.',
  run: 'Run checks',
  runAgain: 'Run again',
  takes: 'This takes up to 30 seconds. Nothing is stored and no email is sent.',
  command: 'Run in a terminal',
  results: 'Results',
  checkedAt: 'Checked <time></time>',
  states: { ok: 'Good', warning: 'Warning', problem: 'Problem', skipped: 'Skipped' },
  summary: {
    problem: '{count, plural, one {Found one problem.} other {Found {count, number} problems.}}',
    warning:
      '{count, plural, one {No problems found, one warning.} other {No problems found, {count, number} warnings.}}',
    ok: 'All checks passed.',
  },

  titles: {
    version: 'Version',
    'data-folder': 'Data folder',
    'disk-space': 'Disk space',
    database: 'Database',
    'file-store': 'File store',
    totals: 'Totals',
    files: 'Stored files',
    audit: 'Audit log',
    clock: 'Clock',
    'package-reader': 'Package reader',
    https: 'HTTPS',
    certificate: 'Certificate',
    address: 'Public address',
    'proxy-headers': 'Proxy headers',
    'upload-size': 'Upload size',
    'request-buffering': 'Request buffering',
    downloads: 'Downloads',
    mail: 'Email',
    'single-sign-on': 'Single sign-on',
    saml: 'SAML',
    ldap: 'LDAP',
  },

  /** `node` is null if it is not disclosed. */
  version: 'Slipway {version} is running.',
  versionOnNode: 'Slipway {version} runs on Node {node}.',

  dataFolder: {
    good: '{folder} is writable by its owner and private.',
    missing: 'The folder {folder} does not exist.',
    missingAdvice: 'Start the server once, or set SLIPWAY_DATA_DIR to the same value as for the server.',
    open: '{folder} has the mode {mode}: other accounts can access it.',
    openAdvice: 'Run chmod 700 {folder}.',
    closed: '{folder} is not writable by this account.',
    closedAdvice: 'Run the doctor and the server under the account that owns the folder.',
    noModes: 'This system does not support folder modes.',
  },

  disk: {
    good: '{free} are free.',
    low: '{free} free, less than the largest upload of {largest}.',
    lowAdvice: 'Free some space, or lower SLIPWAY_MAX_UPLOAD.',
    full: '{free} free. Below {minimum}, every upload is refused.',
    fullAdvice: 'Free some space: delete old builds, or move the data folder to a larger disk.',
    unknown: 'The free space could not be read: {reason}.',
    unknownAdvice: 'Make sure that the data folder is on a mounted disk.',
  },

  database: {
    good: '{kind} responds.',
    bad: 'The database does not respond: {reason}.',
    badAdvice: 'Check SLIPWAY_DATABASE_URL, and make sure that the database is running.',
  },

  fileStore: {
    good: 'The file store is readable and writable.',
    bad: 'The file store does not respond: {reason}.',
    badAdvice: 'Check SLIPWAY_BLOB_URL and its permissions.',
  },

  totals: {
    good: 'The storage totals are correct.',
    wrong: '{count, plural, one {One storage total is wrong.} other {# storage totals are wrong.}}',
    wrongAdvice: 'Run slipway sweep to recalculate the totals. Quotas depend on them.',
    unknown: 'The storage totals could not be calculated: {reason}.',
  },

  audit: {
    sealed: 'The hash chain has {sealed} entries. The log is not streamed.',
    streamed: '{receiver} receives the log; {waiting} entries are waiting.',
    notStreamed: '{receiver} does not receive the log; {waiting} entries are waiting: {reason}.',
    advice:
      'Check the receiver and SLIPWAY_AUDIT_STREAM. Slipway tries again at least once a minute, and sends everything that is waiting.',
    broken:
      'The hash chain of the audit log was changed by hand, or cannot be verified with the secret of this server.',
    brokenAdvice: 'Run slipway audit verify to see what was changed.',
    unknown: 'The audit log could not be checked: {reason}.',
  },

  files: {
    good: 'No stored file is known to be damaged.',
    damaged:
      '{count, plural, one {Files of one build are damaged.} other {Files of {builds} builds are damaged.}}',
    damagedAdvice:
      'Run slipway doctor --files to see which ones, restore those files from a backup, then run it again.',
    unknown: 'Damaged files could not be counted: {reason}.',
  },

  clock: {
    good: 'The clock agrees with the other clocks.',
    alone: 'The clock shows a plausible time; there is no other clock to compare it with.',
    wrong: 'The clock shows {time}, which cannot be correct.',
    apart: 'The clocks of this machine and of {whose} differ by {seconds, number} s.',
    nodeApart: 'The clocks of the node {host} and of the database differ by {seconds, number} s.',
    ofDatabase: 'the database',
    ofAddress: 'the public address',
    advice: 'Enable time synchronization (NTP) on both machines. Links and certificates depend on it.',
  },

  packageReader: {
    closed: 'The processes that read packages run without a network.',
    bestEffort:
      'This system does not let the processes that read packages start without a network. JavaScript in them is kept from opening connections; native code is not.',
  },

  https: {
    good: '{origin} is an HTTPS address.',
    unset: 'SLIPWAY_URL is not set, so this server does not know its own address.',
    unsetAdvice:
      'Set SLIPWAY_URL to the address that phones open, such as https://apps.example.com; docs/behind-a-proxy.md shows how.',
    plain: '{origin} is not an HTTPS address, and iOS only installs over HTTPS.',
    plainAdvice:
      'Put a reverse proxy with a TLS certificate in front and set SLIPWAY_URL to its https address; docs/behind-a-proxy.md has examples for nginx and Caddy.',
  },

  skippedPlain: 'The public address does not use HTTPS.',
  skippedUnset: 'SLIPWAY_URL is not set.',
  skippedUnreached: 'The public address does not lead to this server.',
  skippedSecret: 'The secret of this installation could not be read: start the server once.',
  skippedFolder: 'The data folder does not exist.',

  certificate: {
    good: 'Trusted and valid until {day}. Issued by {issuer}.',
    noTls: 'The TLS connection failed: {reason}.',
    noTlsAdvice: 'Make sure that the proxy listens on this port with TLS and a certificate.',
    errors: {
      expired: 'It expired on {day}.',
      early: 'It is not valid before {day}.',
      selfSigned: 'It is self-signed, and phones do not trust self-signed certificates.',
      wrongHost: 'It was issued for {names} and not for {host}.',
      incomplete: 'The chain is incomplete: no certificate connects {issuer} to a trusted authority.',
      unknownAuthority: 'This machine does not trust its authority: {issuer}.',
      revoked: 'It was revoked.',
      other: 'It is not trusted ({code}).',
    },
    advice: {
      expired: 'Renew it, and find out why automatic renewal failed.',
      early: 'Check the clock of this machine, or wait.',
      selfSigned:
        'Get one from a public authority, such as Let’s Encrypt; Caddy and certbot do this automatically.',
      wrongHost: 'Get a certificate for this host, or set SLIPWAY_URL to a host in the certificate.',
      incomplete:
        'Configure the proxy with the full chain (fullchain.pem), not just the certificate. For a private authority, set NODE_EXTRA_CA_CERTS to its certificate.',
      unknownAuthority:
        'Get one from a public authority, or install the private authority on every phone and set NODE_EXTRA_CA_CERTS to its certificate.',
      other: 'Replace the certificate.',
    },
    expiring:
      '{days, plural, one {It expires on {day}, in one day.} other {It expires on {day}, in # days.}}',
    expiringAdvice: 'Renew it now, and find out why automatic renewal has not happened.',
    noNames: 'It names its host only in the subject, and iOS requires a subjectAltName.',
    tooLong: 'It is valid for {days} days, and iOS accepts at most 825.',
    weakKey: 'Its RSA key has {bits} bits, and iOS requires at least 2048.',
    unfitAdvice: 'Get a new certificate that meets the requirements of iOS.',
    privateAuthority: 'It is trusted here through a private authority: {issuer}.',
    privateAdvice: 'Install this authority on every phone too, or get a certificate from a public one.',
  },

  address: {
    good: '{origin} leads to this server.',
    failed: '{origin} could not be reached: {reason}.',
    failedAdvice:
      'Make sure that the server and the proxy are running, that the name resolves to the proxy, and that no firewall blocks the connection.',
    gateway: 'The proxy at {origin} responds with status {status}: it cannot reach the server.',
    gatewayAdvice:
      'Start the server, and make sure that the proxy forwards requests to its SLIPWAY_HOST and SLIPWAY_PORT.',
    redirect: '{origin} redirects to {to}.',
    redirectAdvice: 'Set SLIPWAY_URL to the final address.',
    elsewhere: 'Another program responds at {origin} (status {status}), or a server with a different secret.',
    elsewhereAdvice:
      'Make sure that SLIPWAY_URL and the proxy lead to this server, and that the doctor uses the same data folder and SLIPWAY_SECRET.',
  },

  proxy: {
    direct: 'Requests come directly from clients; there is no proxy in between.',
    good: 'The server sees {scheme}, {host} and the visitor’s address {client}.',
    notTrusted: 'The proxy at {peer} forwards the client’s address, but the server does not trust it.',
    notTrustedAdvice: 'Set SLIPWAY_TRUST_PROXY to {peer} and restart the server.',
    absent: 'The proxy does not send {names}.',
    passedOn: 'The proxy passes on {names} from visitors, who can forge it.',
    differs: 'The server sees {what}.',
    schemeIs: 'the scheme {seen} instead of {wanted}',
    hostIs: 'the host {seen} instead of {wanted}',
    advice:
      'Configure the proxy to set X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host itself, as shown in docs/behind-a-proxy.md.',
  },

  uploadSize: {
    good: 'Uploads of {size} reach the server.',
    refused: 'The proxy refuses uploads of {size} (status 413).',
    refusedAdvice: 'Raise its limit: client_max_body_size 0 in nginx, no request_body limit in Caddy.',
    unclear: 'Could not determine whether uploads of the full size reach the server: {reason}.',
    unclearAdvice: 'Check the proxy’s limits on the size and duration of requests.',
  },

  buffering: {
    good: 'Uploads reach the server while they are sent.',
    responseDelayed: 'The proxy buffers the whole upload before it forwards it.',
    heldUpAdvice:
      'Disable request buffering (proxy_request_buffering off in nginx): it doubles the disk usage and delays errors.',
    unclear: 'Could not determine whether uploads are forwarded immediately: {reason}.',
  },

  downloads: {
    good: 'Range requests work and return unchanged bytes.',
    wrong: 'A range request returned wrong bytes (status {status}).',
    wrongAdvice: 'Configure the proxy to forward Range, Content-Range and ETag, and not to compress.',
    failed: 'A range request failed: {reason}.',
  },

  saml: {
    good: 'The metadata of {provider} can be read. Register {metadata} there.',
    bad: 'The metadata of the SAML provider cannot be used: {reason}.',
    badAdvice: 'Check SLIPWAY_SAML_METADATA. Addresses in private networks must be in SLIPWAY_HOOK_NETWORKS.',
  },

  ldap: {
    good: '{people, plural, one {# person} other {# people}} can be read at {directory} below {baseDn}.',
    nobody: '{directory} responds, but has no people below {baseDn}.',
    nobodyAdvice:
      'Check SLIPWAY_LDAP_BASE_DN, SLIPWAY_LDAP_USER_FILTER and SLIPWAY_LDAP_ATTRIBUTES, and that the account of SLIPWAY_LDAP_BIND_DN may read people.',
    bad: '{directory} cannot be used: {reason}.',
    badAdvice: 'Check SLIPWAY_LDAP_URL and SLIPWAY_LDAP_CA, and that this machine can reach it.',
    bindAdvice: 'Check SLIPWAY_LDAP_BIND_DN and its password.',
    baseAdvice:
      'Check SLIPWAY_LDAP_BASE_DN: {baseDn} does not exist, or the account of SLIPWAY_LDAP_BIND_DN may not read it.',
  },

  singleSignOn: {
    good: '{issuer} responds. Register {returnAddress} there as a redirect URI of this server.',
    unset:
      '{issuer} responds, but SLIPWAY_URL is not set, so the redirect URI depends on the address that the visitor opens.',
    unsetAdvice: 'Set SLIPWAY_URL, and register its /sign-in/sso/callback with the provider.',
    bad: '{issuer} cannot be used: {reason}.',
    badAdvice:
      'Make sure that SLIPWAY_OIDC_ISSUER is exactly the provider’s issuer, and that this machine can reach it.',
  },

  mail: {
    good: '{server} accepts the login. No email was sent.',
    unset: 'No mail server is configured, so testers are not notified of new builds by email.',
    unsetAdvice: 'Set SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM.',
    bad: '{server} cannot be used: {reason}.',
    badAdvice: 'Check SLIPWAY_SMTP_URL: host, port, user name and password.',
  },

  reasons: {
    ENOTFOUND: 'the host name does not exist',
    EAI_AGAIN: 'the host name could not be resolved',
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    EPIPE: 'the connection was reset',
    ETIMEDOUT: 'the connection timed out',
    EHOSTUNREACH: 'the host is unreachable',
    ENETUNREACH: 'the host is unreachable',
    UND_ERR_SOCKET: 'the connection was reset',
    UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
    EPROTO: 'the server does not use TLS',
    ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use TLS',
    ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use TLS',
  },
  status: 'the status was {status}',
} as const;
