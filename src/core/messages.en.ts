/** Messages of errors that every feature throws. */
export const en = {
  notFound: 'there is nothing at this address',
  unauthenticated: 'you are not authenticated',
  internal: 'an internal error occurred',
} as const;
