/** Every word of the doctor, on its page and in a terminal. Apart from `texts.ts` for its size alone. */
const settings = 'docs/behind-a-proxy.md';

export const doctorTexts = {
  pageTitle: 'Doctor',
  lead: 'Checks what a phone needs before it can install from this server: its public address, its certificate, the proxy in front, disk space, clock and mail.',
  run: 'Run the checks',
  runAgain: 'Run them again',
  takes: 'That takes up to half a minute. Nothing is stored and no mail is sent.',
  command: 'The same in a terminal',
  results: 'What was found',
  checkedAt: 'Checked',
  states: { ok: 'Good', warning: 'Warning', problem: 'Problem', skipped: 'Skipped' },
  summary: {
    problem: (count: number) => (count === 1 ? 'One problem was found.' : `${count} problems were found.`),
    warning: (count: number) =>
      count === 1
        ? 'No problem was found, and one thing could be better.'
        : `No problem was found, and ${count} things could be better.`,
    ok: 'Everything is as it should be.',
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
    'request-buffering': 'Uploads in one go',
    downloads: 'Downloads',
    mail: 'Mail',
    'single-sign-on': 'Single sign-on',
  },

  /** `node` is null where it is not told. */
  version: (version: string, node: string | null) =>
    node === null ? `Slipway ${version} is running.` : `Slipway ${version} runs on Node ${node}.`,

  dataFolder: {
    good: (folder: string) => `${folder} can be written by its owner and read by nobody else.`,
    missing: (folder: string) => `There is no folder ${folder}.`,
    missingAdvice: 'Start the server once, or set SLIPWAY_DATA_DIR as it is set for the server.',
    open: (folder: string, mode: string) =>
      `${folder} has the mode ${mode}: other accounts can look into it.`,
    openAdvice: (folder: string) => `Run chmod 700 ${folder}.`,
    closed: (folder: string) => `${folder} cannot be written by this account.`,
    closedAdvice: 'Run the doctor and the server under the account that owns the folder.',
    noModes: 'This system knows no modes of folders.',
  },

  disk: {
    good: (free: string) => `${free} are free.`,
    low: (free: string, largest: string) =>
      `${free} are free, less than the largest upload of ${largest} needs.`,
    lowAdvice: 'Free some space, or lower SLIPWAY_MAX_UPLOAD.',
    full: (free: string, least: string) => `${free} are free, and below ${least} every upload is refused.`,
    fullAdvice: 'Free some space: delete old builds, or move the data folder to a larger disk.',
    unknown: (reason: string) => `The free space could not be read: ${reason}.`,
    unknownAdvice: 'See that the data folder lies on a disk that is mounted.',
  },

  database: {
    good: (kind: string) => `${kind} answers.`,
    bad: (reason: string) => `The database does not answer: ${reason}.`,
    badAdvice: 'See that SLIPWAY_DATABASE_URL is right and that the database runs.',
  },

  fileStore: {
    good: 'Files can be stored and read.',
    bad: (reason: string) => `The file store does not answer: ${reason}.`,
    badAdvice: 'See that SLIPWAY_BLOB_URL is right and may be written.',
  },

  totals: {
    good: 'What each owner stores is counted right.',
    wrong: (count: string, number: number) =>
      number === 1 ? 'One total differs from what is stored.' : `${count} totals differ from what is stored.`,
    wrongAdvice: 'Run slipway sweep, which counts anew: quotas rest on these totals.',
    unknown: (reason: string) => `What is stored could not be counted: ${reason}.`,
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
    good: 'The clock agrees with the others that could be asked.',
    alone: 'The clock shows a sensible time; there was nobody to compare it with.',
    wrong: (time: string) => `The clock shows ${time}, which cannot be.`,
    apart: (whose: string, seconds: number) =>
      `This machine’s clock and that of ${whose} are ${seconds} s apart.`,
    ofDatabase: 'the database',
    ofAddress: 'the public address',
    advice: 'Turn on time synchronisation (NTP) on both machines: links and certificates rest on it.',
  },

  https: {
    good: (origin: string) => `${origin} is an HTTPS address.`,
    unset: 'SLIPWAY_URL is not set, so this server does not know its own address.',
    unsetAdvice: `Set SLIPWAY_URL to the address that phones open, such as https://apps.example.com; ${settings} shows how.`,
    plain: (origin: string) => `${origin} is not an HTTPS address, and iOS installs over HTTPS alone.`,
    plainAdvice: `Put a proxy with a certificate in front and set SLIPWAY_URL to its https address; ${settings} has nginx and Caddy.`,
  },

  skippedPlain: 'There is no HTTPS to look at.',
  skippedUnset: 'SLIPWAY_URL is not set.',
  skippedUnreached: 'The public address does not lead here.',
  skippedSecret: 'The secret of this installation could not be read: start the server once.',
  skippedFolder: 'The data folder is not there.',
  skippedDirect: 'There is no proxy between the public address and this server.',

  certificate: {
    good: (day: string, issuer: string) => `It is trusted and valid until ${day}, from ${issuer}.`,
    noTls: (reason: string) => `No TLS connection could be made: ${reason}.`,
    noTlsAdvice: 'See that the proxy listens on this port, with TLS and a certificate.',
    faults: {
      expired: (day: string) => `It expired on ${day}.`,
      early: (day: string) => `It is not valid before ${day}.`,
      selfSigned: 'It is self-signed, and phones trust no such certificate.',
      wrongHost: (host: string, names: string) => `It was issued for ${names} and not for ${host}.`,
      incomplete: (issuer: string) =>
        `The chain is incomplete: nothing leads from ${issuer} to an authority that is known here.`,
      unknownAuthority: (issuer: string) => `Its authority is not known here: ${issuer}.`,
      revoked: 'It was revoked.',
      other: (code: string) => `It is not trusted (${code}).`,
    },
    advice: {
      expired: 'Renew it, and see why the automatic renewal did not.',
      early: 'Check the clock of this machine, or wait.',
      selfSigned:
        'Get one from a public authority, such as Let’s Encrypt; Caddy and certbot do that by themselves.',
      wrongHost: 'Get one that names this host, or set SLIPWAY_URL to a host that it names.',
      incomplete:
        'Give the proxy the full chain (fullchain.pem), not the certificate alone. For an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS.',
      unknownAuthority:
        'Get one from a public authority, or install your own authority on every phone and name its certificate in NODE_EXTRA_CA_CERTS.',
      other: 'Replace the certificate.',
    },
    expiring: (day: string, days: number) =>
      `It expires on ${day}, in ${days === 1 ? 'one day' : `${days} days`}.`,
    expiringAdvice: 'Renew it now, and see why the automatic renewal has not.',
    noNames: 'It names its host in the subject alone, and iOS wants a subjectAltName.',
    tooLong: (days: number) => `It is valid for ${days} days, and iOS refuses more than 825.`,
    weakKey: (bits: number) => `Its RSA key has ${bits} bits, and iOS refuses fewer than 2048.`,
    unfitAdvice: 'Have it issued anew in a form that iOS takes.',
    privateAuthority: (issuer: string) => `It is trusted here through an authority of your own: ${issuer}.`,
    privateAdvice: 'Install that authority on every phone too, or get a certificate from a public one.',
  },

  address: {
    good: (origin: string) => `${origin} leads to this server.`,
    failed: (origin: string, reason: string) => `${origin} could not be reached: ${reason}.`,
    failedAdvice:
      'See that the server and the proxy run, that the name leads to the proxy, and that no firewall is between.',
    gateway: (origin: string, status: number) =>
      `The proxy at ${origin} answers ${status}: it does not reach a server.`,
    gatewayAdvice:
      'Start the server, and see that the proxy passes requests to its SLIPWAY_HOST and SLIPWAY_PORT.',
    redirect: (origin: string, to: string) => `${origin} sends everybody on to ${to}.`,
    redirectAdvice: 'Set SLIPWAY_URL to the address where the way ends.',
    elsewhere: (origin: string, status: number) =>
      `Something else answers at ${origin} (status ${status}), or a server with another secret.`,
    elsewhereAdvice:
      'See that SLIPWAY_URL and the proxy lead to this server, and that the doctor reads the same data folder and SLIPWAY_SECRET.',
  },

  proxy: {
    direct: 'Requests come straight from those who ask; there is no proxy in between.',
    good: (scheme: string, host: string, client: string) =>
      `The server sees ${scheme}, ${host} and the visitor’s address ${client}.`,
    notTrusted: (peer: string) =>
      `The proxy at ${peer} tells who is asking, and the server does not believe it.`,
    notTrustedAdvice: (peer: string) => `Set SLIPWAY_TRUST_PROXY to ${peer} and start the server again.`,
    absent: (names: string) => `The proxy does not send ${names}.`,
    passedOn: (names: string) =>
      `The proxy passes on ${names} as visitors send it, so that they can choose it.`,
    differs: (what: string) => `The server sees ${what}.`,
    schemeIs: (seen: string, wanted: string) => `the scheme ${seen} in place of ${wanted}`,
    hostIs: (seen: string, wanted: string) => `the host ${seen} in place of ${wanted}`,
    advice: `Let the proxy set X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host itself, as ${settings} shows.`,
  },

  uploadSize: {
    good: (size: string) => `The way to the server takes uploads of ${size}.`,
    refused: (size: string) => `The proxy refuses uploads of ${size} (status 413).`,
    refusedAdvice: 'Raise its limit: client_max_body_size 0 in nginx, no request_body limit in Caddy.',
    unclear: (reason: string) => `Whether uploads of full size pass could not be told: ${reason}.`,
    unclearAdvice: 'See the limits of the proxy in front on the size and time of requests.',
  },

  buffering: {
    good: 'Uploads reach the server while they are sent.',
    heldUp: 'The proxy keeps an upload until all of it is there and only then passes it on.',
    heldUpAdvice:
      'Turn request buffering off (proxy_request_buffering off in nginx): it takes disk space twice, and refusals come late.',
    unclear: (reason: string) => `Whether uploads are passed on at once could not be told: ${reason}.`,
  },

  downloads: {
    good: 'Parts of a file can be asked for, and come unchanged.',
    wrong: (status: number) => `A part of a file was asked for and came wrong (status ${status}).`,
    wrongAdvice: 'Let the proxy pass Range, Content-Range and ETag on, and compress nothing.',
    failed: (reason: string) => `A part of a file did not come: ${reason}.`,
  },

  singleSignOn: {
    good: (issuer: string, returnAddress: string) =>
      `${issuer} answers. It must know ${returnAddress} as a redirect URI of this server.`,
    unset: (issuer: string) =>
      `${issuer} answers, but SLIPWAY_URL is not set, so the redirect URI is that of whatever address somebody opens.`,
    unsetAdvice: 'Set SLIPWAY_URL, and register its /sign-in/sso/callback with the provider.',
    bad: (issuer: string, reason: string) => `${issuer} cannot be used: ${reason}.`,
    badAdvice:
      'See that SLIPWAY_OIDC_ISSUER is exactly what the provider calls its issuer, and that this machine can reach it.',
  },

  mail: {
    good: (server: string) => `${server} answers and takes the login. No mail was sent.`,
    unset: 'No mail server is set, so testers hear of new builds only by other ways.',
    unsetAdvice: 'Set SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM.',
    bad: (server: string, reason: string) => `${server} cannot be used: ${reason}.`,
    badAdvice: 'Check SLIPWAY_SMTP_URL: host, port, user name and password.',
  },

  reasons: {
    ENOTFOUND: 'the name is unknown',
    EAI_AGAIN: 'the name could not be looked up just now',
    ECONNREFUSED: 'nothing listens there',
    ECONNRESET: 'the connection was cut',
    EPIPE: 'the connection was cut',
    ETIMEDOUT: 'there was no answer in time',
    EHOSTUNREACH: 'there is no way to it',
    ENETUNREACH: 'there is no way to it',
    UND_ERR_SOCKET: 'the connection was cut',
    UND_ERR_CONNECT_TIMEOUT: 'there was no answer in time',
    EPROTO: 'what answers there does not speak TLS',
    ERR_SSL_WRONG_VERSION_NUMBER: 'what answers there does not speak TLS',
    ERR_SSL_PACKET_LENGTH_TOO_LONG: 'what answers there does not speak TLS',
  } as Readonly<Record<string, string>>,
  status: (status: number) => `the answer was ${status}`,
};
