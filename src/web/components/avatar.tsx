export type AvatarSize = 'small' | 'medium' | 'large';

const sizes: Readonly<Record<AvatarSize, string>> = { small: ' avatar-s', medium: '', large: ' avatar-l' };
const tintCount = 5;

/** The initials of a person on a color that depends on the name. Decorative, because it is always next to the name. */
export function Avatar({ name, size = 'medium' }: { name: string; size?: AvatarSize }) {
  return (
    <span class={`avatar${sizes[size]} tint-${tintOf(name)}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** Returns the first letters of the first two words, or the first two letters of a single word. */
export function initials(name: string): string {
  const [first = '', second] = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = second ? [...first].slice(0, 1).concat([...second].slice(0, 1)) : [...first].slice(0, 2);
  return letters.join('').toUpperCase() || '?';
}

function tintOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return 1 + (hash % tintCount);
}
