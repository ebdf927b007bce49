import { describe, expect, test } from 'vitest';
import { orderForDevice, phone } from '../../../src/packages/apk/choose-config.ts';
import { anyDensity } from '../../../src/packages/apk/resource-config.ts';
import { parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { textOf } from '../../../src/packages/apk/typed-value.ts';
import { buildResourceTable, type ConfigSpec } from '../../support/build-resource-table.ts';

/** Returns the names of the configurations, best first. */
function order(configs: Record<string, ConfigSpec>, densityDpi: number): (string | null)[] {
  const values = Object.entries(configs).map(([value, config]) => ({ config, value }));
  const table = parseResourceTable(
    buildResourceTable([{ types: [{ name: 'x', resources: [{ name: 'a', values }] }] }]),
  );
  return orderForDevice(table.resolveAll(0x7f010000), phone(densityDpi)).map(
    ({ value }) => value && textOf(value),
  );
}

const densities = {
  none: {},
  mdpi: { density: 160 },
  hdpi: { density: 240 },
  xhdpi: { density: 320 },
  xxxhdpi: { density: 640 },
};

describe('the preferred density', () => {
  test('is the largest for the highest screen density', () => {
    expect(order(densities, 640)).toEqual(['xxxhdpi', 'xhdpi', 'hdpi', 'none', 'mdpi']);
  });

  test('is the next larger one in between, unless a smaller one is close', () => {
    expect(order(densities, 300)[0]).toBe('xhdpi');
    expect(order({ mdpi: { density: 160 }, xxxhdpi: { density: 640 } }, 300)[0]).toBe('xxxhdpi');
    expect(order({ tv: { density: 213 }, xxxhdpi: { density: 640 } }, 214)[0]).toBe('tv');
  });

  test('is always "any"', () => {
    const any = { density: anyDensity, sdkVersion: 26 };
    expect(order({ ...densities, any }, 640)[0]).toBe('any');
    expect(order({ any, ...densities }, 160)[0]).toBe('any');
  });
});

test('a newer platform version wins, and a future version does not match', () => {
  const versions = {
    v0: {},
    v26: { sdkVersion: 26 },
    v21: { sdkVersion: 21 },
    future: { sdkVersion: 20_000 },
  };
  expect(order(versions, 160)).toEqual(['v26', 'v21', 'v0']);
});

test('density takes precedence over version; night and width take precedence over density', () => {
  expect(order({ v26: { sdkVersion: 26 }, xxxhdpi: { density: 640 } }, 640)[0]).toBe('xxxhdpi');
  expect(order({ day: { uiMode: 0x10 }, xxxhdpi: { density: 640 } }, 640)[0]).toBe('day');
  expect(order({ w400: { screenWidthDp: 400 }, xxxhdpi: { density: 640 } }, 640)[0]).toBe('w400');
});

test('a configuration for another device does not match', () => {
  const others = {
    night: { uiMode: 0x20 },
    television: { uiMode: 0x04 },
    wide: { screenWidthDp: 600 },
    german: { language: 'de' },
  };
  expect(order({ ...others, plain: {} }, 640)).toEqual(['plain']);
});

test('the first of two equal configurations in the table wins', () => {
  expect(order({ first: { density: 160 }, second: {} }, 160)).toEqual(['first', 'second']);
});
