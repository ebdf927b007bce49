import { texts } from '../shell/texts.ts';

/** An address to open in another browser. It can be selected manually; `slipway.js` adds a copy button. */
export function AddressBox({ address, label }: { address: string; label: string }) {
  return (
    <div class="address-box" data-copy={texts.copyAddress} data-copied={texts.copied}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need controls */}
      <p role="group" aria-label={label}>
        <code>{address}</code>
      </p>
    </div>
  );
}
