/** Truncates and sanitizes a message for users that may quote a file. */
export function readable(sentence: string, maxLength: number): string {
  const line = sentence
    .slice(0, maxLength * 4)
    .replace(/[\s\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
