/** Reads settings from environment variables and collects all errors. */
import { readByteSize } from './byte-size.ts';
import { reasonOf } from './errors.ts';
import { parseNetwork } from './networks.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingName = `SLIPWAY_${string}`;

export interface NumberRange {
  min: number;
  max: number;
  /** The default, also used if the value is invalid. */
  otherwise: number;
  /** For error messages, such as `days`. */
  unit?: string;
}

export interface Settings {
  readonly errors: readonly string[];
  /** Every setting that was read, whether it is set or not. */
  readonly names: ReadonlySet<string>;
  addError(text: string): void;
  /** Returns the text without surrounding whitespace; null if it is missing or empty. */
  text(name: SettingName): string | null;
  /** Returns the result of `check`; reports an error it throws under the name of the setting. */
  checked<T>(name: SettingName, check: (text: string) => T): T | null;
  /** A whole number. */
  number(name: SettingName, range: NumberRange): number;
  /** Like `number`; null for `off` and 0. */
  numberOrOff(name: SettingName, range: NumberRange): number | null;
  /** A size such as 500MiB. */
  bytes(name: SettingName, otherwise: number): number;
  choice<Choice extends string, Otherwise>(
    name: SettingName,
    choices: readonly Choice[],
    otherwise: Otherwise,
  ): Choice | Otherwise;
  isOn(name: SettingName, otherwise: boolean): boolean;
  /** IP addresses and CIDRs, separated by commas. */
  networks(name: SettingName): string[];
}

export function createSettings(env: Environment): Settings {
  const errors: string[] = [];
  const names = new Set<string>();
  const text = (name: SettingName) => {
    names.add(name);
    return env[name]?.trim() || null;
  };
  const word = (name: SettingName) => text(name)?.toLowerCase() ?? null;
  const must = (name: SettingName, be: string) => errors.push(`${name} must be ${be}. It is ${text(name)}.`);
  const number = (name: SettingName, { min, max, otherwise, unit }: NumberRange, alternative = '') => {
    const digits = text(name);
    if (digits === null) return otherwise;
    const value = /^\d{1,10}$/.test(digits) ? Number(digits) : Number.NaN;
    if (value >= min && value <= max) return value;
    must(name, `a number ${unit ? `of ${unit} ` : ''}from ${min} to ${max}${alternative}`);
    return otherwise;
  };
  const choice = <Choice extends string, Otherwise>(
    name: SettingName,
    choices: readonly Choice[],
    otherwise: Otherwise,
  ) => {
    const given = word(name);
    const chosen = choices.find((one) => one === given);
    if (given !== null && chosen === undefined)
      must(name, `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);
    return chosen ?? otherwise;
  };
  return {
    errors,
    names,
    addError: (error) => errors.push(error),
    text,
    checked: (name, check) => {
      const given = text(name);
      try {
        return given === null ? null : check(given);
      } catch (error) {
        errors.push(`${name}: ${reasonOf(error)}`);
        return null;
      }
    },
    number,
    numberOrOff: (name, range) =>
      ['off', '0'].includes(word(name) ?? '') ? null : number(name, range, ', or off'),
    bytes: (name, otherwise) => {
      const given = text(name);
      const bytes = given === null ? otherwise : readByteSize(given);
      if (bytes === null) must(name, 'a size such as 500MiB or 4GiB');
      return bytes ?? otherwise;
    },
    choice,
    isOn: (name, otherwise) => {
      const given = word(name) ?? (otherwise ? 'on' : 'off');
      if (['on', 'true', 'yes', '1'].includes(given)) return true;
      if (!['off', 'false', 'no', '0'].includes(given)) must(name, 'on or off');
      return false;
    },
    networks: (name) => {
      const networks =
        text(name)
          ?.split(',')
          .map((part) => part.trim()) ?? [];
      for (const network of networks) {
        if (!parseNetwork(network))
          errors.push(`${name} must list addresses or CIDRs such as 10.0.0.0/8. It contains ${network}.`);
      }
      return networks;
    },
  };
}

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join('\n'));
    this.errors = errors;
  }
}
