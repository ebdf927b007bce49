/** The shapes of refusals, for the documentation of the interface and for the serializer. */
import { constant, object, text } from '../json-schema.ts';

export const documentedErrorSchema = object({
  error: constant(true),
  message: text('What is wrong, for people.'),
  because: text('The same as message.'),
});

export const errorSchema = object({
  error: constant(true),
  message: text('What is wrong, for people.'),
  because: text('The same as message.'),
  error_type: text('What is wrong, for programs.'),
});
