import type { PageFrame } from './page-frame.ts';
import { brandLogoPath } from './site-paths.ts';
import { texts } from './texts.ts';

/** The name used in titles and in the header. */
export const siteName = ({ brand }: PageFrame): string => brand?.name ?? texts.product;

/** The name in the header, with its logo. Without a logo, Slipway's mark is shown unless there is another name. */
export function BrandName({ frame }: { frame: PageFrame }) {
  const { name = null, logo = null } = frame.brand ?? {};
  return (
    <>
      {logo !== null && <BrandLogo name={logo} />}
      {logo === null && name === null && <Mark />}
      {name === null ? texts.product : <bdi>{name}</bdi>}
    </>
  );
}

/** Decorative: the name is next to it. */
export function BrandLogo({ name }: { name: string }) {
  const [, width, height] = /-(\d+)x(\d+)\.png$/.exec(name) ?? [];
  return <img class="brand-logo" src={brandLogoPath(name)} alt="" width={width} height={height} />;
}

/** A ship on its slipway, stern toward the water. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <g transform="rotate(14 16 16)">
        <path class="mark-hull" d="M2 11.5h14.5V7H23v4.5h5.5l-1.2 8.2H9.6c-2.2 0-3.7-1-4.6-2.8Z" />
        <path class="mark-ramp" d="M1.5 24h29" />
      </g>
    </svg>
  );
}
