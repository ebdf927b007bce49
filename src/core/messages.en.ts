/** Messages of errors that every feature throws. */
export const en = {
  notFound: 'there is nothing at this address',
  unauthenticated: 'you are not authenticated',
  internal: 'an internal error occurred',
  formExpired: 'the form has expired: reload the page',
  names: {
    invalid: {
      user: 'a user name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
      project:
        'a project name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
      workspace:
        'a workspace name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
    },
    reserved: 'the name {name} is reserved',
    hidden: '{name} contains the character {character}, which cannot be seen: send it without',
  },
} as const;
