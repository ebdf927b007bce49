export const en = {
  fromNetwork: 'too many requests from your network',
  withOneKey: 'too many requests with one key or session',
  atOnce: 'too many requests at once from your network',
} as const;
