/** What could be left out of a build. */
import { formatBytes } from '../../core/byte-size.ts';
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { findSavings, type SizeSaving } from './size-savings.ts';
import { sizeTexts } from './size-texts.ts';

const t = sizeTexts.savings;
const maxItems = 5;

export function Savings({ analysis }: { analysis: PackageAnalysis }) {
  const savings = findSavings(analysis);
  if (savings.length === 0) return <p class="soft">{t.none}</p>;
  return (
    <>
      <ul class="panel savings">
        {savings.map((saving) => (
          <li key={saving.kind}>
            <Saving saving={saving} />
          </li>
        ))}
      </ul>
      <p class="soft fine">{t.unpacked}</p>
    </>
  );
}

function Saving({ saving: { kind, bytes, items } }: { saving: SizeSaving }) {
  const size = formatBytes(bytes);
  return (
    <details>
      <summary>
        <span class="strong">{t.kinds[kind]}</span>
        <span class="num">{kind === 'media' ? t.upTo({ size }) : size}</span>
      </summary>
      <p>{t.lines[kind]}</p>
      <ul class="saving-items">
        {items.slice(0, maxItems).map((item) => (
          <li key={item.name}>
            <bdi>{item.name}</bdi>
            <span class="num soft">
              {kind === 'duplicates' && `${t.copies({ count: item.count })} · `}
              {formatBytes(item.bytes)}
            </span>
          </li>
        ))}
        {items.length > maxItems && (
          <li class="soft">{sizeTexts.inside.more({ count: items.length - maxItems })}</li>
        )}
      </ul>
    </details>
  );
}
