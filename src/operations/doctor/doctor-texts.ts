/** Texts of the doctor, for its page and the terminal. Separate from `texts.ts` because of their size. */
const settings = 'docs/behind-a-proxy.md';

export const doctorTexts = {
  pageTitle: 'Doctor',
  lead: 'Checks what a phone needs before it can install from this server: its public address, its certificate, the proxy in front, disk space, clock and mail.',
  run: 'Run checks',
  runAgain: 'Run again',
  takes: 'This takes up to 30 seconds. Nothing is stored and no email is sent.',
  command: 'Run in a terminal',
  results: 'Results',
  checkedAt: 'Checked',
  states: { ok: 'Good', warning: 'Warning', problem: 'Problem', skipped: 'Skipped' },
  summary: {
    problem: (count: number) => (count === 1 ? 'Found one problem.' : `Found ${count} problems.`),
    warning: (count: number) =>
      count === 1 ? 'No problems found, one warning.' : `No problems found, ${count} warnings.`,
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
    clock: 'Clock',
    https: 'HTTPS',
    certificate: 'Certificate',
    address: 'Public address',
    'proxy-headers': 'Proxy headers',
    'upload-size': 'Upload size',
    'request-buffering': 'Request buffering',
    downloads: 'Downloads',
    mail: 'Mail',
    'single-sign-on': 'Single sign-on',
  },

  /** `node` is null where it is not told. */
  version: (version: string, node: string | null) =>
    node === null ? `Slipway ${version} is running.` : `Slipway ${version} runs on Node ${node}.`,

  dataFolder: {
    good: (folder: string) => `${folder} is writable by its owner and private.`,
    missing: (folder: string) => `The folder ${folder} does not exist.`,
    missingAdvice: 'Start the server once, or set SLIPWAY_DATA_DIR to the same value as for the server.',
    open: (folder: string, mode: string) => `${folder} has the mode ${mode}: other accounts can access it.`,
    openAdvice: (folder: string) => `Run chmod 700 ${folder}.`,
    closed: (folder: string) => `${folder} is not writable by this account.`,
    closedAdvice: 'Run the doctor and the server under the account that owns the folder.',
    noModes: 'This system does not support folder modes.',
  },

  disk: {
    good: (free: string) => `${free} are free.`,
    low: (free: string, largest: string) => `${free} free, less than the largest upload of ${largest}.`,
    lowAdvice: 'Free some space, or lower SLIPWAY_MAX_UPLOAD.',
    full: (free: string, minimum: string) => `${free} free. Below ${minimum}, every upload is refused.`,
    fullAdvice: 'Free some space: delete old builds, or move the data folder to a larger disk.',
    unknown: (reason: string) => `The free space could not be read: ${reason}.`,
    unknownAdvice: 'Make sure that the data folder is on a mounted disk.',
  },

  database: {
    good: (kind: string) => `${kind} answers.`,
    bad: (reason: string) => `The database does not answer: ${reason}.`,
    badAdvice: 'Check SLIPWAY_DATABASE_URL, and make sure that the database is running.',
  },

  fileStore: {
    good: 'The file store is readable and writable.',
    bad: (reason: string) => `The file store does not answer: ${reason}.`,
    badAdvice: 'Check SLIPWAY_BLOB_URL and its permissions.',
  },

  totals: {
    good: 'The storage totals are correct.',
    wrong: (count: string, number: number) =>
      number === 1 ? 'One storage total is wrong.' : `${count} storage totals are wrong.`,
    wrongAdvice: 'Run slipway sweep to recalculate the totals. Quotas depend on them.',
    unknown: (reason: string) => `The storage totals could not be calculated: ${reason}.`,
  },

  files: {
    good: 'No stored file is known to be damaged.',
    damaged: (builds: string, count: number) =>
      count === 1 ? 'Files of one build are damaged.' : `Files of ${builds} builds are damaged.`,
    damagedAdvice:
      'Run slipway doctor --files to see which ones, restore those files from a backup, then run it again.',
    unknown: (reason: string) => `Damaged files could not be counted: ${reason}.`,
  },

  clock: {
    good: 'The clock agrees with the other clocks.',
    alone: 'The clock shows a plausible time; there is no other clock to compare it with.',
    wrong: (time: string) => `The clock shows ${time}, which cannot be correct.`,
    apart: (whose: string, seconds: number) =>
      `The clocks of this machine and of ${whose} differ by ${seconds} s.`,
    ofDatabase: 'the database',
    ofAddress: 'the public address',
    advice: 'Enable time synchronization (NTP) on both machines. Links and certificates depend on it.',
  },

  https: {
    good: (origin: string) => `${origin} is an HTTPS address.`,
    unset: 'SLIPWAY_URL is not set, so this server does not know its own address.',
    unsetAdvice: `Set SLIPWAY_URL to the address that phones open, such as https://apps.example.com; ${settings} shows how.`,
    plain: (origin: string) => `${origin} is not an HTTPS address, and iOS only installs over HTTPS.`,
    plainAdvice: `Put a reverse proxy with a TLS certificate in front and set SLIPWAY_URL to its https address; ${settings} has examples for nginx and Caddy.`,
  },

  skippedPlain: 'The public address does not use HTTPS.',
  skippedUnset: 'SLIPWAY_URL is not set.',
  skippedUnreached: 'The public address does not lead to this server.',
  skippedSecret: 'The secret of this installation could not be read: start the server once.',
  skippedFolder: 'The data folder does not exist.',
  skippedDirect: 'There is no proxy between the public address and this server.',

  certificate: {
    good: (day: string, issuer: string) => `It is trusted and valid until ${day}, from ${issuer}.`,
    noTls: (reason: string) => `The TLS connection failed: ${reason}.`,
    noTlsAdvice: 'Make sure that the proxy listens on this port with TLS and a certificate.',
    errors: {
      expired: (day: string) => `It expired on ${day}.`,
      early: (day: string) => `It is not valid before ${day}.`,
      selfSigned: 'It is self-signed, and phones do not trust self-signed certificates.',
      wrongHost: (host: string, names: string) => `It was issued for ${names} and not for ${host}.`,
      incomplete: (issuer: string) =>
        `The chain is incomplete: no certificate connects ${issuer} to a trusted authority.`,
      unknownAuthority: (issuer: string) => `This machine does not trust its authority: ${issuer}.`,
      revoked: 'It was revoked.',
      other: (code: string) => `It is not trusted (${code}).`,
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
    expiring: (day: string, days: number) =>
      `It expires on ${day}, in ${days === 1 ? 'one day' : `${days} days`}.`,
    expiringAdvice: 'Renew it now, and find out why automatic renewal has not happened.',
    noNames: 'It names its host only in the subject, and iOS requires a subjectAltName.',
    tooLong: (days: number) => `It is valid for ${days} days, and iOS accepts at most 825.`,
    weakKey: (bits: number) => `Its RSA key has ${bits} bits, and iOS requires at least 2048.`,
    unfitAdvice: 'Get a new certificate that meets the requirements of iOS.',
    privateAuthority: (issuer: string) => `It is trusted here through a private authority: ${issuer}.`,
    privateAdvice: 'Install this authority on every phone too, or get a certificate from a public one.',
  },

  address: {
    good: (origin: string) => `${origin} leads to this server.`,
    failed: (origin: string, reason: string) => `${origin} could not be reached: ${reason}.`,
    failedAdvice:
      'Make sure that the server and the proxy are running, that the name resolves to the proxy, and that no firewall blocks the connection.',
    gateway: (origin: string, status: number) =>
      `The proxy at ${origin} answers ${status}: it cannot reach the server.`,
    gatewayAdvice:
      'Start the server, and make sure that the proxy forwards requests to its SLIPWAY_HOST and SLIPWAY_PORT.',
    redirect: (origin: string, to: string) => `${origin} redirects to ${to}.`,
    redirectAdvice: 'Set SLIPWAY_URL to the final address.',
    elsewhere: (origin: string, status: number) =>
      `Something else answers at ${origin} (status ${status}), or a server with another secret.`,
    elsewhereAdvice:
      'Make sure that SLIPWAY_URL and the proxy lead to this server, and that the doctor uses the same data folder and SLIPWAY_SECRET.',
  },

  proxy: {
    direct: 'Requests come directly from clients; there is no proxy in between.',
    good: (scheme: string, host: string, client: string) =>
      `The server sees ${scheme}, ${host} and the visitor’s address ${client}.`,
    notTrusted: (peer: string) =>
      `The proxy at ${peer} forwards the client’s address, but the server does not trust it.`,
    notTrustedAdvice: (peer: string) => `Set SLIPWAY_TRUST_PROXY to ${peer} and restart the server.`,
    absent: (names: string) => `The proxy does not send ${names}.`,
    passedOn: (names: string) => `The proxy passes on ${names} from visitors, who can forge it.`,
    differs: (what: string) => `The server sees ${what}.`,
    schemeIs: (seen: string, wanted: string) => `the scheme ${seen} instead of ${wanted}`,
    hostIs: (seen: string, wanted: string) => `the host ${seen} instead of ${wanted}`,
    advice: `Configure the proxy to set X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host itself, as shown in ${settings}.`,
  },

  uploadSize: {
    good: (size: string) => `Uploads of ${size} reach the server.`,
    refused: (size: string) => `The proxy refuses uploads of ${size} (status 413).`,
    refusedAdvice: 'Raise its limit: client_max_body_size 0 in nginx, no request_body limit in Caddy.',
    unclear: (reason: string) => `Could not determine whether uploads of full size pass: ${reason}.`,
    unclearAdvice: 'Check the proxy’s limits on the size and duration of requests.',
  },

  buffering: {
    good: 'Uploads reach the server while they are sent.',
    responseDelayed: 'The proxy buffers the whole upload before it forwards it.',
    heldUpAdvice:
      'Disable request buffering (proxy_request_buffering off in nginx): it doubles the disk usage and delays errors.',
    unclear: (reason: string) => `Could not determine whether uploads are forwarded immediately: ${reason}.`,
  },

  downloads: {
    good: 'Range requests work and return unchanged bytes.',
    wrong: (status: number) => `A range request returned wrong bytes (status ${status}).`,
    wrongAdvice: 'Configure the proxy to forward Range, Content-Range and ETag, and not to compress.',
    failed: (reason: string) => `A range request failed: ${reason}.`,
  },

  singleSignOn: {
    good: (issuer: string, returnAddress: string) =>
      `${issuer} answers. Register ${returnAddress} there as a redirect URI of this server.`,
    unset: (issuer: string) =>
      `${issuer} answers, but SLIPWAY_URL is not set, so the redirect URI depends on the address that the visitor opens.`,
    unsetAdvice: 'Set SLIPWAY_URL, and register its /sign-in/sso/callback with the provider.',
    bad: (issuer: string, reason: string) => `${issuer} cannot be used: ${reason}.`,
    badAdvice:
      'Make sure that SLIPWAY_OIDC_ISSUER is exactly the provider’s issuer, and that this machine can reach it.',
  },

  mail: {
    good: (server: string) => `${server} accepts the login. No email was sent.`,
    unset: 'No mail server is configured, so testers are not notified of new builds by email.',
    unsetAdvice: 'Set SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM.',
    bad: (server: string, reason: string) => `${server} cannot be used: ${reason}.`,
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
  } as Readonly<Record<string, string>>,
  status: (status: number) => `the status was ${status}`,
};
