import { qrPath } from './qr-pictures.ts';

/** The QR code of an address, dark on white in every theme, as required by scanners. */
export function QrCode({ address, label }: { address: string; label: string }) {
  const { size, path } = qrPath(address);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#0c1518" />
    </svg>
  );
}
