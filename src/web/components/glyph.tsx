/** Icons of 16 by 16 pixels. The same glyph always means the same action. */
const shapes = {
  box: <path d="m8 1.75 5.5 3v6.5l-5.5 3-5.5-3v-6.5ZM2.75 5 8 8l5.25-3M8 8v6" />,
  branch: (
    <>
      <circle cx="4.5" cy="3.5" r="1.5" />
      <circle cx="4.5" cy="12.5" r="1.5" />
      <circle cx="11.5" cy="5.5" r="1.5" />
      <path d="M4.5 5v6M11.5 7c0 2.5-3 2.5-6 3.5" />
    </>
  ),
  check: <path d="m3.25 8.5 3.25 3.25 6.25-7" />,
  chevronDown: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  chevronRight: <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  commit: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M1.5 8h4M10.5 8h4" />
    </>
  ),
  compare: <path d="M5.5 2.5v11M5.5 2.5 3 5M5.5 2.5 8 5M10.5 13.5v-11M10.5 13.5 8 11M10.5 13.5 13 11" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M3.5 10.5h-1V3c0-.3.2-.5.5-.5h7.5v1" />
    </>
  ),
  download: <path d="M8 2.5v8M4.75 7.5 8 10.75l3.25-3.25M2.5 12.5v.5c0 .3.2.5.5.5h10c.3 0 .5-.2.5-.5v-.5" />,
  external: (
    <path d="M9 2.5h4.5V7M13.25 2.75 7.5 8.5M11.5 9.5v3.5c0 .3-.2.5-.5.5H3c-.3 0-.5-.2-.5-.5V5c0-.3.2-.5.5-.5h3.5" />
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c2 1.8 2.5 4 2.5 6S10 12.2 8 14c-2-1.8-2.5-4-2.5-6S6 3.8 8 2Z" />
    </>
  ),
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="3" />
      <path d="m7.75 8.25 5.5-5.5M10.5 5.5l2 2" />
    </>
  ),
  link: (
    <path d="M6.75 9.25a2.5 2.5 0 0 0 3.5 0l2.5-2.5a2.47 2.47 0 1 0-3.5-3.5l-.75.75M9.25 6.75a2.5 2.5 0 0 0-3.5 0l-2.5 2.5a2.47 2.47 0 1 0 3.5 3.5l.75-.75" />
  ),
  lock: (
    <>
      <rect x="3" y="7" width="10" height="6.5" rx="1.5" />
      <path d="M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2" />
    </>
  ),
  mail: (
    <>
      <rect x="2" y="3.5" width="12" height="9" rx="1.5" />
      <path d="m2.5 4.5 5.5 4.5 5.5-4.5" />
    </>
  ),
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  minus: <path d="M3.5 8h9" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.25" />,
  people: (
    <>
      <circle cx="6" cy="5" r="2.5" />
      <path d="M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.75a2.5 2.5 0 0 1 0 4.5M12 9.75c1.6.5 2.5 1.8 2.5 3.75" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  qrCode: (
    <>
      <rect x="2.5" y="2.5" width="4" height="4" rx=".75" />
      <rect x="9.5" y="2.5" width="4" height="4" rx=".75" />
      <rect x="2.5" y="9.5" width="4" height="4" rx=".75" />
      <path d="M9.5 9.5h1.5v1.5M13.5 9.5v1.5h-1M9.5 13.5h1M13.5 13.5v0" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </>
  ),
  settings: (
    <>
      <circle cx="8" cy="8" r="2" />
      <path d="M8 1.75v2M8 12.25v2M1.75 8h2M12.25 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  share: <path d="M8 9.5V1.75M5.25 4.25 8 1.5l2.75 2.75M5 6.75H3.5v7h9v-7H11" />,
  shield: <path d="M8 1.75 3 3.5V8c0 3 2.1 5 5 6.25C10.9 13 13 11 13 8V3.5Z" />,
  signOut: <path d="M6.5 2.5H3c-.3 0-.5.2-.5.5v10c0 .3.2.5.500.5h3.5M10.5 5l3 3-3 3M13 8H6" />,
  tag: (
    <path d="M2.5 3v4.6c0 .3.1.5.3.7l5.4 5.4c.4.4 1 .4 1.4 0l4.1-4.1c.4-.4.4-1 0-1.4L8.3 2.8c-.2-.2-.4-.3-.7-.3H3c-.3 0-.5.2-.5.5ZM5.5 5.5v.01" />
  ),
  trash: <path d="M2.5 4.25h11M6 4V2.5h4V4M4 4.5l.6 8.5c0 .3.3.500.6.500h5.6c.3 0 .6-.2.6-.5l.6-8.5" />,
  undo: <path d="M2.5 3v3.5H6M2.8 6.5A5.5 5.5 0 1 1 2.6 9.5" />,
  upload: <path d="M8 10.5v-8M4.75 5.5 8 2.25l3.25 3.25M2.5 10v2.5c0 .6.4 1 1 1h9c.6 0 1-.4 1-1V10" />,
  warning: (
    <path d="M8 6v3.25M8 11.5v.01M7.1 2.6 1.7 12c-.4.7.1 1.5.9 1.5h10.8c.8 0 1.3-.8.9-1.5L8.9 2.6c-.4-.7-1.4-.7-1.8 0Z" />
  ),
} as const;

export type GlyphName = keyof typeof shapes;

/** Decorative: the text next to it, or an `aria-label`, states the meaning. */
export function Glyph({ name, tone }: { name: GlyphName; tone?: 'warning' }) {
  return (
    <svg class={tone ? `glyph glyph-${tone}` : 'glyph'} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
