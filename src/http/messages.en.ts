/** Why a request is refused. Requests under `/api` get these words in English. */
export const en = {
  multipart: {
    parts: 'a form has at most {limit} parts',
    malformed: 'the multipart body is malformed or ends too early',
    empty: 'the multipart body has no parts: check its boundary',
    headers: 'a part of the form has invalid headers',
    type: 'the body must be multipart/form-data with a boundary',
    nameMissing: 'a part of the form has no name',
    nameLong: 'a part of the form has a name that is too long',
    bodyLong: 'the request body is too large',
  },
  form: {
    repeated: 'the form contains {name} more than once',
    text: 'the form field {name} must be text',
    nul: 'the form field {name} contains a NUL character',
    surrogate: 'the form field {name} contains half of a surrogate pair',
    undecodable: 'the form field {name} is not {charset} text: send UTF-8, or state its charset',
    charset: 'the form field {name} is in an unknown charset: {charset}',
    charsetLate: 'the form field _charset_ must come before the fields in that charset',
    transferEncoding:
      'the form field {name} has the Content-Transfer-Encoding {encoding}, which is not read here: send its bytes as they are',
    missing: 'the form is incomplete: {name} is missing',
    long: 'Form too large. The limit is {limit}.',
    malformed: 'the request is malformed',
  },
  body: {
    long: 'the body is larger than {limit} bytes',
    undecodable: 'the body is not valid UTF-8',
    compressed: 'the body must not be compressed: send it without Content-Encoding: {coding}',
    cut: 'the connection closed before the body was complete',
    silent: 'the client sent no data for {seconds} seconds',
    slow: 'the upload is too slow: send at least {rate} bytes per second, averaged over {seconds} seconds',
  },
  address: 'the address is not correctly encoded',
  stopping: 'this node is shutting down',
} as const;
