/** Short, because people type it. */
export const devicePath = '/device';
