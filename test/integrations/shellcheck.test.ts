/** Every shell script of the integrations, and that of the GitLab component, which is part of its YAML. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runsEverything } from '../support/runs-everything.ts';
import { integrationsFolder, readIntegration } from './ci-job.ts';

const there = runsEverything && existsSync('/usr/bin/shellcheck');

describe.runIf(there)('shell scripts of integrations (needs shellcheck)', () => {
  const check = (args: string[], input?: string) => {
    const { stdout, status } = spawnSync('shellcheck', args, {
      cwd: integrationsFolder,
      input,
      encoding: 'utf8',
    });
    return { stdout, status };
  };

  it.each(globSync('*/*.sh', { cwd: integrationsFolder }))('have no finding in %s', (script) => {
    expect(check([join(integrationsFolder, script)])).toEqual({ stdout: '', status: 0 });
  });

  it.each(['upload', 'closed'])('have no finding in the GitLab component %s', (name) => {
    const [, jobs] = parseAllDocuments(readIntegration(`gitlab/templates/${name}/template.yml`));
    const scripts = Object.values<{ script: string[] }>(jobs?.toJS()).flatMap(({ script }) => script);
    expect(check(['--shell=sh', '-'], scripts.join('\n'))).toEqual({ stdout: '', status: 0 });
  });
});
