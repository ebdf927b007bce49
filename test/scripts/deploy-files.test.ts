/** Consistency of the Dockerfile, compose file and systemd unit with each other and the server. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { serverEnvironment, serverNodeFlags } from '../../scripts/workshop.mjs';
import { listSettings, readConfig } from '../../src/config.ts';
import { shutdownGraceMs } from '../../src/http/close-server.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const dockerfile = read('Dockerfile');
const compose = read('compose.yaml');
const unit = read('integrations/deploy/slipway.service');
const exampleNames = [...read('integrations/deploy/example.env').matchAll(/^([A-Z0-9_]+)=/gm)].map(
  ([, name]) => name,
);

/** The lines of a service in the compose file. */
const service = (name: string) =>
  new RegExp(`^ {2}${name}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose)?.[1] ?? '';
/** Slipway exits this long after the limit for running uploads. */
const ownLimitSeconds = shutdownGraceMs / 1000 + 30;

describe('the container image', () => {
  it('runs the server directly, on the Node version of the project, under its own account', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    const [, major] = /neededNodeMajor = (\d+)/.exec(read('scripts/workshop.mjs')) ?? [];
    expect(images).toEqual(Array(2).fill(`node:${major}-slim`));
    expect(dockerfile).toMatch(/^CMD \["node", "dist\/main\.js", "serve"\]$/m);
    expect(dockerfile).toMatch(/^USER node\n(.*\n)*CMD/m);
    expect(dockerfile).toContain('rm -rf node_modules/node-linux-*');
  });

  it('contains only what the build context includes', () => {
    const [, everything, ...names] = read('.dockerignore').trim().split('\n');
    expect(everything).toBe('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    );
    expect([...new Set(copied)].sort()).toEqual(names.map((name) => name.replace('!', '')).sort());
    for (const name of copied) expect(existsSync(new URL(name, root)), name).toBe(true);
  });
});

describe('memory settings of the server process', () => {
  it('are the same for every way to start the server', () => {
    const flags = serverNodeFlags.join(' ');
    const arenas = `MALLOC_ARENA_MAX=${serverEnvironment.MALLOC_ARENA_MAX}`;
    expect(read('src/main.ts').split('\n')[0]).toBe(`#!/usr/bin/env -S ${arenas} node ${flags}`);
    expect(dockerfile).toContain(`${arenas} NODE_OPTIONS="${flags}"\n`);
    expect(unit).toContain(`Environment=${arenas}\n`);
    expect(unit).toContain(`/node ${flags} dist/main.js serve\n`);
  });
});

describe('the compose file', () => {
  it('publishes only the proxy’s ports, and pins every image', () => {
    for (const name of ['slipway', 'postgres', 'garage']) {
      expect(service(name), name).not.toBe('');
      expect(service(name), name).not.toMatch(/^ {4}ports:/m);
    }
    expect(service('caddy')).toMatch(/^ {4}ports:/m);
    const tags = [...compose.matchAll(/^ {4}image: \S+?(?::(\S+))?$/gm)].map(([, tag]) => tag);
    expect(tags).toHaveLength(3);
    for (const tag of tags) expect(tag).toMatch(/\d/);
  });

  it('uses exactly the variables of the example file', () => {
    const asked = new Set([...compose.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name));
    expect([...asked].sort()).toEqual([...exampleNames].sort());
    expect(compose.match(/\$\{/g)).toHaveLength(compose.match(/\$\{[A-Z0-9_]+:\?/g)?.length ?? 0);
  });

  it('passes Slipway only valid settings without warnings', () => {
    const pairs = [...service('slipway').matchAll(/^ {6}((?:SLIPWAY|AWS)_[A-Z_]+): (.+)$/gm)];
    const environment = Object.fromEntries(
      pairs.map(([, name = '', value = '']) => [name, value.replace(/\$\{[^}]+\}/g, filled(name))]),
    );
    const known = Object.keys(environment).filter((name) => name.startsWith('SLIPWAY_'));
    expect(known.length).toBeGreaterThan(5);
    expect(listSettings()).toEqual(expect.arrayContaining(known));
    const config = readConfig(environment);
    expect(config.warnings).toEqual([]);
    expect(config).toMatchObject({ database: { kind: 'postgres' }, blobs: { kind: 's3', links: false } });
    expect(compose).toContain(`- subnet: ${config.trustedProxies[0]}\n`);
    expect(read('integrations/deploy/garage.toml')).toContain(`s3_region = "${Object(config.blobs).region}"`);
  });
});

describe('the stop timeout', () => {
  it('is longer than Slipway needs', () => {
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1])).toBeGreaterThan(ownLimitSeconds);
    expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(ownLimitSeconds);
  });
});

describe('the systemd unit', () => {
  it('sandboxes the process and allows V8 to compile', () => {
    for (const line of ['User=slipway', 'NoNewPrivileges=yes', 'ProtectSystem=strict', 'PrivateTmp=yes']) {
      expect(unit).toContain(`\n${line}\n`);
    }
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
    expect(unit).toMatch(/^Restart=on-failure$/m);
  });
});

function filled(name: string): string {
  if (name === 'SLIPWAY_URL') return 'apps.example.com';
  return name === 'SLIPWAY_ADMIN_EMAIL' ? 'admin@example.com' : '0123456789abcdef0123456789abcdef';
}
