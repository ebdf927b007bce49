/** What is said to people, which may quote a file: a name in it may be long, and may hold anything. */
export function readable(sentence: string, maxLength: number): string {
  const line = sentence
    .slice(0, maxLength * 4)
    .replace(/[\s\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
