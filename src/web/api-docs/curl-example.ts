import type { ApiField, ApiOperation } from './open-api.ts';

/**
 * Returns a curl command that calls the operation, ready to paste into a shell. It has the reader’s name or examples as path
 * parameters, the key from the environment, and those fields of the body that are required or have an example.
 */
export function curlExample(
  operation: ApiOperation,
  origin: string,
  ownerName: string | null = null,
): string {
  const query = operation.parameters
    .filter((parameter) => parameter.place === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`);
  const path = operation.path.replace(/\{([^{}]+)\}/g, (_placeholder, name: string) => {
    if (name === 'owner' && ownerName !== null) return encodeURIComponent(ownerName);
    const parameter = operation.parameters.find((one) => one.name === name && one.place === 'path');
    return encodeURIComponent(parameter ? exampleOf(parameter) : name.toUpperCase());
  });
  const address = `${origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const key = operation.needsKey ? ['-H "Authorization: Bearer $SLIPWAY_API_KEY"'] : [];
  return [`curl ${quoted(address)}`, ...methodArguments(operation), ...key, ...bodyArguments(operation)].join(
    ' \\\n  ',
  );
}

/** Empty if curl sends the method by default: POST with a body, otherwise GET. */
function methodArguments(operation: ApiOperation): string[] {
  const usual = bodyArguments(operation).length > 0 ? 'POST' : 'GET';
  return operation.method === usual ? [] : [`-X ${operation.method}`];
}

function bodyArguments({ body }: ApiOperation): string[] {
  if (!body) return [];
  const isForm = body.contentType === 'multipart/form-data';
  // With -F, curl would read a file if the value starts with @ or <.
  const textFlag = isForm ? '--form-string' : '--data-urlencode';
  const flagOf = (field: ApiField) => (field.schema.type === 'file' ? '-F' : textFlag);
  if (!isForm && body.contentType !== 'application/x-www-form-urlencoded') {
    const json = JSON.stringify(body.example ?? {});
    return [`-H "Content-Type: ${body.contentType}"`, `-d ${quoted(json)}`];
  }
  const fields = body.schema.fields.filter((field) => field.required || field.example !== undefined);
  return fields.map((field) => `${flagOf(field)} ${quoted(`${field.name}=${formValue(field)}`)}`);
}

function formValue(field: ApiField): string {
  if (field.schema.type !== 'file') return exampleOf(field);
  return `@${field.example === undefined ? 'app.apk' : exampleOf(field)}`;
}

function exampleOf(field: ApiField): string {
  const { name } = field;
  const example = field.example ?? (name === 'platform' ? 'android' : undefined);
  if (example === undefined) return name.toUpperCase();
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** Quotes a word for a POSIX shell if necessary. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
