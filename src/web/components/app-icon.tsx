import { safeImage } from './safe-address.ts';

export type IconSize = 'small' | 'medium' | 'large' | 'head' | 'row';
const pixels: Readonly<Record<IconSize, number>> = { row: 36, small: 40, head: 48, medium: 64, large: 96 };

/**
 * The icon of an app or a Workspace. It has no alternative text because it is always next to the name. Without an image on this
 * origin, shows the first letter of the name.
 */
export function AppIcon(props: {
  address: string | null;
  origin: string;
  name: string;
  size: IconSize;
  eager?: boolean;
}) {
  const side = pixels[props.size];
  const source = safeImage(props.address, props.origin);
  if (!source) {
    return (
      <span class={`icon icon-${props.size} monogram`} aria-hidden="true">
        {firstLetter(props.name)}
      </span>
    );
  }
  return (
    <img
      class={`icon icon-${props.size}`}
      src={source}
      alt=""
      width={side}
      height={side}
      loading={props.eager ? 'eager' : 'lazy'}
      decoding="async"
    />
  );
}

function firstLetter(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '?';
}
