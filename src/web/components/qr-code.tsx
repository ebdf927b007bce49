import { encode } from 'uqr';

/** The QR code of an address, dark on white in every theme, as required by scanners. */
export function QrCode({ address, label }: { address: string; label: string }) {
  const code = encode(address, { ecc: 'M', border: 0 });
  const quietZone = 4;
  const side = code.size + quietZone * 2;
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={darkRuns(code.data, quietZone)} fill="#0c1518" />
    </svg>
  );
}

/** One path for all dark modules. Adjacent modules in a row share a rectangle, which keeps the code below 4 KiB. */
function darkRuns(rows: readonly (readonly boolean[])[], offset: number): string {
  let path = '';
  for (const [y, row] of rows.entries()) {
    let x = 0;
    while (x < row.length) {
      const start = x;
      while (row[x]) x += 1;
      if (x > start) path += `M${start + offset} ${y + offset}h${x - start}v1h${start - x}z`;
      else x += 1;
    }
  }
  return path;
}
