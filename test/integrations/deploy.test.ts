/** The templates of `integrations/deploy`: checked against the server, and by the programs that read them where these are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { listSettings, readConfig } from '../../src/config.ts';
import { builtProgram, createInstallation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'integrations/deploy');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !isFolder(name));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const chart = join(folder, 'helm/slipway');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const has = (program: string, argument = '--version') => spawnSync(program, [argument]).status === 0;
const run = (program: string, args: string[], options: object = {}) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], ...options });

interface Pod {
  containers: [{ env: { name: string; value: string }[]; [name: string]: unknown }];
  [name: string]: unknown;
}

/** Only what the chart uses. */
interface KubernetesObject {
  kind: string;
  spec: {
    strategy: { type: string };
    template: { spec: Pod };
    jobTemplate: { spec: { template: { spec: Pod } } };
  };
}

interface ComposeService {
  image?: string;
  build?: string;
  environment?: Record<string, string> | string[];
  [name: string]: unknown;
}

const compose = Object.fromEntries(
  [
    '../../compose.yaml',
    'compose.sqlite.yaml',
    'coolify/slipway.yaml',
    'umbrel/slipway/docker-compose.yml',
    'casaos/Slipway/docker-compose.yml',
  ].map((name) => [name, parse(read(name), { merge: true }) as { services: Record<string, ComposeService> }]),
);
const servers = Object.entries(compose).flatMap(([file, { services }]) =>
  Object.entries(services)
    .filter(([, { image, build }]) => build !== undefined || /\/slipway:/.test(image ?? ''))
    .map(([name, service]) => [`${name} in ${file}`, service] as const),
);
const environmentOf = ({ environment = {} }: ComposeService): Record<string, string> =>
  Array.isArray(environment)
    ? Object.fromEntries(environment.map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=?/, '')]))
    : environment;
/** A value of the kind that the platform inserts. */
const inserted = (text: string) =>
  text
    .replaceAll(
      /\$\{SERVICE_URL_SLIPWAY\}|\$\{SLIPWAY_URL[^}]*\}|https:\/\/\$\{[^}]*\}/g,
      'https://apps.example.com',
    )
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    .replaceAll(/\$\{SLIPWAY_ADMIN_EMAIL[^}]*\}/g, 'admin@example.com')
    .replaceAll(/\$\{[^}]+\}/g, '0123456789abcdef0123456789abcdef');

describe('every template', () => {
  it('names only settings that exist', () => {
    const others = ['SLIPWAY_DOMAIN', 'SLIPWAY_ACCOUNT'];
    const unknown = files.flatMap((name) =>
      [...read(name).matchAll(/(?<![A-Z_])SLIPWAY_[A-Z_]*[A-Z]/g)]
        .map(([setting]) => setting)
        .filter((setting) => ![...listSettings(), ...others].includes(setting))
        .map((setting) => `${name}: ${setting}`),
    );
    expect(unknown).toEqual([]);
  });

  it('names the image of this version', () => {
    const named = files.flatMap((name) => [...read(name).matchAll(/registry\.example\.com\/slipway:(\S+)/g)]);
    expect(named.map(([, tag]) => tag)).toEqual(named.map(() => version));
    expect(named.length).toBeGreaterThan(2);
    const { version: ofChart, appVersion } = parse(read('helm/slipway/Chart.yaml'));
    expect([ofChart, appVersion]).toEqual([version, version]);
    expect(read('../../Dockerfile')).toContain(`image.version="${version}"`);
    expect(parse(read('umbrel/slipway/umbrel-app.yml')).version).toBe(version);
    expect(Object(parseToml(read('yunohost/manifest.toml'))).version).toBe(`${version}~ynh1`);
  });

  it('is described in the README, which says whether it was run', () => {
    const rows = [
      ...read('README.md').matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \|.*\| (run|parsed|tested|linted)\b.*\|$/gm),
    ];
    const described = rows.map(([, path = '']) => path.replace(/\/$/, ''));
    for (const path of described) expect(existsSync(join(folder, path)), path).toBe(true);
    const missing = files.filter(
      (name) =>
        name !== 'README.md' && !described.some((path) => name === path || name.startsWith(`${path}/`)),
    );
    expect(missing).toEqual([]);
  });
});

describe.each(servers)('the container %s', (_name, service) => {
  it('runs without privileges, on a read-only root, with the time that it needs to stop', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(Number.parseInt(String(service.stop_grace_period), 10)).toBeGreaterThanOrEqual(100);
    expect(service).not.toHaveProperty('privileged');
  });

  it('has settings that the server accepts without a warning', () => {
    const environment = Object.fromEntries(
      Object.entries(environmentOf(service)).map(([name, value]) => [name, inserted(value)]),
    );
    expect(readConfig({ SLIPWAY_DATA_DIR: '/data', ...environment }).warnings).toEqual([]);
  });
});

describe('the ports and folders', () => {
  it('are those of the image', () => {
    const dockerfile = read('../../Dockerfile');
    expect(dockerfile).toMatch(/^EXPOSE 8080$/m);
    expect(dockerfile).toMatch(/^VOLUME \/data$/m);
    const ports = (file: string, name: string) => compose[file]?.services[name] ?? {};
    expect(ports('compose.sqlite.yaml', 'slipway').ports).toEqual(['127.0.0.1:8080:8080']);
    expect(ports('umbrel/slipway/docker-compose.yml', 'app_proxy')).toMatchObject({
      environment: { APP_HOST: 'slipway_server_1', APP_PORT: 8080 },
    });
    expect(ports('casaos/Slipway/docker-compose.yml', 'slipway').ports).toMatchObject([
      { target: 8080, published: Object(compose['casaos/Slipway/docker-compose.yml'])['x-casaos'].port_map },
    ]);
    expect(read('coolify/slipway.yaml')).toMatch(/^# port: 8080$/m);
    for (const [name, { volumes }] of servers.filter(([each]) => !each.includes('../../compose.yaml')))
      expect(JSON.stringify(volumes), name).toMatch(/data:\/data"|"target":"\/data"/);
  });
});

describe('the build context', () => {
  it('has every file that the build of the image reads', { timeout: 120_000 }, () => {
    const context = mkdtempSync(join(tmpdir(), 'slipway-context-'));
    try {
      const [, , ...names] = read('../../.dockerignore').trim().split('\n');
      for (const name of names.map((line) => line.replace('!', ''))) {
        mkdirSync(dirname(join(context, name)), { recursive: true });
        cpSync(join(root, name), join(context, name), { recursive: true });
      }
      symlinkSync(join(root, 'node_modules'), join(context, 'node_modules'));
      run(process.execPath, ['scripts/build.mjs'], { cwd: context });
      expect(run(process.execPath, ['dist/main.js', '--version'], { cwd: context })).toBe(`${version}\n`);
    } finally {
      rmSync(context, { recursive: true, force: true });
    }
  });
});

describe('the values of the chart', () => {
  const values = parse(read('helm/slipway/values.yaml'));
  const schema = JSON.parse(read('helm/slipway/values.schema.json'));
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(schema);
  const errors = (changes: object) => {
    validate({ ...values, ...changes });
    return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };
  const withoutVolume = { persistence: { enabled: false }, existingSecret: 'slipway' };

  /** `UPDATE_GOLDEN=1 npm test -- test/integrations/deploy.test.ts` writes the names. */
  it('are valid, and can set every setting that the chart does not set itself', () => {
    expect(errors({})).toEqual([]);
    expect(errors({ ...withoutVolume, replicas: 3 })).toEqual([]);
    const own = ['DATA_DIR', 'DRAIN_SECONDS', 'ENV_FILE', 'HOST', 'METRICS', 'PORT'].map(
      (name) => `SLIPWAY_${name}`,
    );
    const names = schema.properties.settings.propertyNames;
    const expected = listSettings()
      .filter((name) => !own.includes(name))
      .sort();
    if (process.env.UPDATE_GOLDEN === '1') {
      names.enum = expected;
      writeFileSync(join(folder, 'helm/slipway/values.schema.json'), `${JSON.stringify(schema, null, 2)}\n`);
    }
    expect(names.enum).toEqual(expected);
  });

  it('are refused where they contradict each other or name no setting', () => {
    expect(errors({ replicas: 2 })).toContain('/persistence/enabled const');
    expect(errors({ ...withoutVolume, backup: { enabled: true } })).toContain('/backup/enabled const');
    expect(errors({ persistence: { enabled: false } })).toContain('/existingSecret minLength');
    const url = { SLIPWAY_URL: 'https://apps.example.com' };
    expect(errors({ settings: { ...url, SLIPWAY_PORTS: '1' } })).toContain('/settings propertyNames');
    expect(errors({ settings: { ...url, SLIPWAY_MAX_UPLOAD: 5 } })).toContain(
      '/settings/SLIPWAY_MAX_UPLOAD type',
    );
    expect(errors({ settings: { SLIPWAY_URL: 'apps.example.com/x' } })).toContain(
      '/settings/SLIPWAY_URL pattern',
    );
    expect(errors({ replica: 2 })).toContain(' additionalProperties');
  });

  describe.runIf(has('go', 'version'))('in templates rendered by the engine of Go (needs go)', () => {
    const render = (changes: object, ...args: string[]) =>
      run('go', ['run', join(root, 'test/integrations/render-chart.go'), chart, ...args], {
        input: JSON.stringify({
          Values: { ...values, ...changes },
          Chart: { AppVersion: version },
          Release: { Name: 'slipway', Namespace: 'apps', Service: 'Helm' },
        }),
        env: { GOCACHE: join(tmpdir(), 'slipway-go'), HOME: tmpdir(), ...process.env },
      });
    const objects = (changes: object): KubernetesObject[] =>
      parseAllDocuments(render(changes)).flatMap((document) => {
        expect(document.errors).toEqual([]);
        return document.toJS() ?? [];
      });
    const kinds = (changes: object) => objects(changes).map(({ kind }) => kind);

    it('make the objects that the values ask for', () => {
      expect(kinds({})).toEqual(['Deployment', 'Service', 'PersistentVolumeClaim']);
      expect(kinds({ ...withoutVolume, replicas: 3 })).toEqual([
        'Deployment',
        'Service',
        'PodDisruptionBudget',
      ]);
      const all = {
        ingress: { ...values.ingress, enabled: true },
        backup: { ...values.backup, enabled: true },
      };
      expect(kinds(all)).toEqual([
        ...['Deployment', 'Service', 'Ingress', 'PersistentVolumeClaim', 'PersistentVolumeClaim', 'CronJob'],
      ]);
      expect(render({}, 'notes')).toContain('exec deploy/slipway -- slipway doctor');
    });

    it('start a server without privileges whose probes, ports and settings exist', () => {
      const [deployment] = objects({ existingSecret: 'slipway-secret' });
      if (!deployment) throw new Error('no Deployment');
      const pod = deployment.spec.template.spec;
      const [container] = pod.containers;
      expect(pod).toMatchObject({ enableServiceLinks: false, securityContext: { runAsNonRoot: true } });
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(115);
      expect(container).toMatchObject({
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
        envFrom: [{ secretRef: { name: 'slipway-secret' } }],
        livenessProbe: { httpGet: { path: '/healthz' } },
        readinessProbe: { httpGet: { path: '/readyz' } },
      });
      const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
      expect(readConfig(environment)).toMatchObject({ warnings: [], metrics: { port: 9464 }, port: 8080 });
      expect(deployment.spec.strategy.type).toBe('Recreate');
    });

    it('back up beside the server, with its settings and data folder', () => {
      const job = objects({ backup: { ...values.backup, enabled: true, keep: 5 } }).at(-1);
      const pod = job?.spec.jobTemplate.spec.template.spec;
      expect(pod).toMatchObject({
        containers: [{ command: ['slipway-backup', '/backups', '5'] }],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } },
      });
      expect(JSON.stringify(pod)).toContain(
        '{"name":"data","persistentVolumeClaim":{"claimName":"slipway-data"}}',
      );
    });
  });
});

describe('the scripts and units', () => {
  it.runIf(has('shellcheck'))('pass shellcheck (needs shellcheck)', () => {
    const scripts = ['slipway', 'slipway-backup'].map((name) => join(folder, name));
    expect(run('shellcheck', scripts)).toBe('');
    const forYunohost = readdirSync(join(folder, 'yunohost/scripts')).map((name) =>
      join(folder, 'yunohost/scripts', name),
    );
    // The helpers set the variables; they are not on this machine.
    expect(run('shellcheck', ['--shell=bash', '--exclude=SC1091,SC2154,SC2034', ...forYunohost])).toBe('');
  });

  it('agree about the program, the data folder and the backups', () => {
    const unit = read('slipway-backup.service');
    expect(unit).toContain('ExecStart=/opt/slipway/integrations/deploy/slipway-backup /srv/backups 14\n');
    expect(unit).toContain('ReadWritePaths=/var/lib/slipway /srv/backups\n');
    expect(read('slipway.service')).toContain('StateDirectory=slipway\n');
    expect(read('yunohost/conf/systemd.service')).toContain('ReadWritePaths=__DATA_DIR__\n');
    const manifest = Object(parseToml(read('yunohost/manifest.toml')));
    expect(Object.keys(manifest.resources)).toEqual(
      expect.arrayContaining(['data_dir', 'install_dir', 'ports']),
    );
    const values = [
      ['__PORT__', '8080'],
      ['__DOMAIN__', 'apps.example.com'],
      ['__EMAIL__', 'admin@example.com'],
      ['__DATA_DIR__', '/data'],
    ] as const;
    const settings = values.reduce(
      (text, [name, value]) => text.replace(name, value),
      read('yunohost/conf/slipway.env'),
    );
    const environment = Object.fromEntries(
      [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(readConfig(environment).warnings).toEqual([]);
  });
});

describe.runIf(runsEverything)('the backup script on PostgreSQL', () => {
  it('dumps the database first, and keeps the newest backups', async () => {
    const slipway = await createInstallation('postgres');
    try {
      await slipway.run(['migrate']);
      writeFileSync(join(slipway.dataFolder, 'secret'), 'f'.repeat(64));
      const bin = join(slipway.folder, 'bin');
      const backups = join(slipway.folder, 'backups');
      for (const made of [bin, ...['2020-01-01', '2020-01-02T0330'].map((name) => join(backups, name))])
        mkdirSync(made, { recursive: true });
      const program = `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`;
      writeFileSync(join(bin, 'slipway'), program, { mode: 0o755 });
      // That of the machine may be older than the server, which it refuses.
      const dump = '#!/bin/sh\necho "$1 $3" > "$(echo "$2" | cut -d= -f2)"\n';
      writeFileSync(join(bin, 'pg_dump'), dump, { mode: 0o755 });
      run(join(folder, 'slipway-backup'), [backups, '2'], {
        cwd: slipway.folder,
        env: { ...process.env, ...slipway.environment, PATH: `${bin}:${process.env.PATH}` },
      });
      const [old, newest = ''] = readdirSync(backups).sort();
      expect(old).toBe('2020-01-02T0330');
      expect(readdirSync(join(backups, newest))).toContain('backup.json');
      const dumped = readFileSync(join(backups, newest, 'postgres.dump'), 'utf8');
      expect(dumped).toBe(`--format=custom ${slipway.environment.SLIPWAY_DATABASE_URL}\n`);
    } finally {
      await slipway.remove();
    }
  });
});

function isFolder(name: string): boolean {
  return statSync(join(folder, name)).isDirectory();
}
