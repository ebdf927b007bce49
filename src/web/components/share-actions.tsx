import { texts } from '../shell/texts.ts';
import { Glyph } from './glyph.tsx';

/** Buttons that copy, show or send the link of something. Without script, only the QR code remains. */
export function ShareActions(props: {
  /** Absolute address. */
  address: string;
  name: string;
  /** Path of the page that shows the QR code. */
  qrPath: string;
}) {
  const { address, name, qrPath } = props;
  const t = texts.share;
  return (
    <span class="row-actions">
      <button
        class="button button-quiet button-icon"
        type="button"
        aria-label={t.copyLinkTo({ name })}
        data-copy-link={address}
        data-copied={texts.copied}
        hidden
      >
        <Glyph name="link" />
      </button>
      <a class="button button-quiet button-icon" href={qrPath} aria-label={t.qrCodeOf({ name })}>
        <Glyph name="qrCode" />
      </a>
      <button
        class="button button-quiet button-icon"
        type="button"
        aria-label={t.shareName({ name })}
        data-share={address}
        data-name={name}
        hidden
      >
        <Glyph name="share" />
      </button>
    </span>
  );
}

/** A link that selects as a whole, with buttons to copy and send it. */
export function CopyLine({ address, name }: { address: string; name: string }) {
  const t = texts.share;
  return (
    <div class="copy-line">
      <code class="cut" title={address}>
        {address}
      </code>
      <span class="row-actions">
        <button
          class="button"
          type="button"
          aria-label={t.copyLinkTo({ name })}
          data-copy-link={address}
          data-copied={texts.copied}
          hidden
        >
          <Glyph name="copy" />
          {texts.copy}
        </button>
        <button
          class="button"
          type="button"
          aria-label={t.shareName({ name })}
          data-share={address}
          data-name={name}
          hidden
        >
          <Glyph name="share" />
        </button>
      </span>
    </div>
  );
}
