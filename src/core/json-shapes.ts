/** Parts of the JSON of API resources. */
import * as v from 'valibot';

/** RFC 3339 in UTC, with milliseconds. */
export const timeShape = (description?: string) =>
  v.pipe(v.string(), v.isoTimestamp(), v.description(description ?? 'RFC 3339, in UTC.'));
/** `time`: epoch milliseconds. */
export const formatTime = (time: number) => new Date(time).toISOString();
export const formatNullableTime = (time: number | null) => (time === null ? null : formatTime(time));

export const integerShape = (description: string) =>
  v.pipe(v.number(), v.integer(), v.description(description));
export const textShape = (description: string) => v.pipe(v.string(), v.description(description));

/** Names of columns and of JSON are those of the code in snake case. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

export type InSnakeCase<Values> = { [Name in keyof Values & string as Snake<Name>]: Values[Name] };

export const snakeName = <Name extends string>(name: Name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<Name>;
