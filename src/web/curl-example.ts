import type { ApiField, ApiOperation } from './open-api.ts';

/**
 * A curl command that calls the operation: its path with the parameters' examples in place, the key from the
 * environment, and the body's required fields with every optional one that has an example.
 */
export function curlExample(operation: ApiOperation, origin: string): string {
  const query = operation.parameters
    .filter((parameter) => parameter.place === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`);
  const path = operation.path.replace(/\{([^{}]+)\}/g, (placeholder, name: string) => {
    const parameter = operation.parameters.find((one) => one.name === name && one.place === 'path');
    return parameter?.example === undefined ? placeholder : encodeURIComponent(exampleOf(parameter));
  });
  const address = `${origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const method = operation.method === 'GET' || operation.body ? [] : [`-X ${operation.method}`];
  const key = operation.needsKey ? ['-H "Authorization: Bearer $SLIPWAY_API_KEY"'] : [];
  return [`curl ${quoted(address)}`, ...method, ...key, ...bodyArguments(operation)].join(' \\\n  ');
}

function bodyArguments({ method, body }: ApiOperation): string[] {
  if (!body) return [];
  const override = method === 'POST' ? [] : [`-X ${method}`];
  const flag = body.contentType === 'multipart/form-data' ? '-F' : '--data-urlencode';
  if (
    body.contentType !== 'multipart/form-data' &&
    body.contentType !== 'application/x-www-form-urlencoded'
  ) {
    const json = JSON.stringify(body.example ?? {});
    return [...override, `-H "Content-Type: ${body.contentType}"`, `-d ${quoted(json)}`];
  }
  const fields = body.schema.fields.filter((field) => field.required || field.example !== undefined);
  return [...override, ...fields.map((field) => `${flag} ${quoted(`${field.name}=${formValue(field)}`)}`)];
}

function formValue(field: ApiField): string {
  if (field.schema.type !== 'file') return exampleOf(field);
  return `@${field.example === undefined ? 'app.apk' : exampleOf(field)}`;
}

function exampleOf(field: ApiField): string {
  const { example, name } = field;
  if (example === undefined) return name.toUpperCase();
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** Quoted for a POSIX shell where that is needed. */
function quoted(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
