/** Compiles frequent queries only once, because building their SQL costs more than running it on SQLite. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Queries } from './database.ts';

type Value = string | number;

/**
 * `build` is called once, at the first run, with placeholders for the parameters; each run substitutes its values. Placeholders
 * must be passed to the query unchanged.
 */
export function prepareQuery<Parameters extends readonly string[], Row>(
  queries: Queries,
  parameterNames: Parameters,
  build: (...placeholders: { [Index in keyof Parameters]: string }) => Compilable<Row>,
): (...values: { [Index in keyof Parameters]: Value }) => Promise<Row[]> {
  const placeholders = parameterNames.map((name) => `\0parameter ${name}`);
  let compiled: CompiledQuery<Row> | null = null;
  let places: number[] = [];
  return async (...values) => {
    if (!compiled) {
      compiled = build(...(placeholders as { [Index in keyof Parameters]: string })).compile();
      places = compiled.parameters.map((parameter) => placeholders.indexOf(String(parameter)));
    }
    const parameters = compiled.parameters.map((fixed, index) => {
      const place = places[index] ?? -1;
      return place === -1 ? fixed : values[place];
    });
    return (await queries.executeQuery<Row>({ ...compiled, parameters })).rows;
  };
}
