/** The shapes of refusals, for the documentation of the interface and for the serializer. */
import { Type } from 'typebox';

export const documentedErrorSchema = Type.Object({
  error: Type.Literal(true),
  message: Type.String({ description: 'What is wrong, for people.' }),
  because: Type.String({ description: 'The same as message.' }),
});

export const errorSchema = Type.Object({
  error: Type.Literal(true),
  message: Type.String({ description: 'What is wrong, for people.' }),
  because: Type.String({ description: 'The same as message.' }),
  error_type: Type.String({ description: 'What is wrong, for programs.' }),
});
