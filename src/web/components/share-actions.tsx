import { texts } from '../shell/texts.ts';
import { Glyph } from './glyph.tsx';

interface SharedLink {
  /** Absolute address. */
  address: string;
  name: string;
}

/** Attributes of a button that copies or sends the link. The script shows such buttons. */
const copies = ({ address, name }: SharedLink) =>
  ({
    type: 'button',
    'aria-label': texts.share.copyLinkTo({ name }),
    'data-copy-link': address,
    'data-copied': texts.copied,
    hidden: true,
  }) as const;
const shares = ({ address, name }: SharedLink) =>
  ({
    type: 'button',
    'aria-label': texts.share.shareName({ name }),
    'data-share': address,
    'data-name': name,
    hidden: true,
  }) as const;

/** Buttons that copy, show or send a link. Without scripts, only the QR code is shown. */
export function ShareActions(
  props: SharedLink & {
    /** Path of the page with the QR code. */
    qrPath: string;
  },
) {
  const { address, name, qrPath } = props;
  return (
    <span class="row-actions">
      <button class="button button-quiet button-icon" {...copies({ address, name })}>
        <Glyph name="link" />
      </button>
      <a class="button button-quiet button-icon" href={qrPath} aria-label={texts.share.qrCodeOf({ name })}>
        <Glyph name="qrCode" />
      </a>
      <button class="button button-quiet button-icon" {...shares({ address, name })}>
        <Glyph name="share" />
      </button>
    </span>
  );
}

/** A link that is selected as a whole, with buttons to copy and send it. */
export function CopyLine({ address, name }: SharedLink) {
  return (
    <div class="copy-line">
      <code class="cut" title={address}>
        {address}
      </code>
      <span class="row-actions">
        <button class="button" {...copies({ address, name })}>
          <Glyph name="copy" />
          {texts.copy}
        </button>
        <button class="button" {...shares({ address, name })}>
          <Glyph name="share" />
        </button>
      </span>
    </div>
  );
}

/** Text to paste somewhere else, such as Markdown. `name`: what it is. */
export function CodeLine({ text, name }: { text: string; name: string }) {
  return (
    <div class="copy-line">
      <code class="cut" title={text}>
        {text}
      </code>
      <span class="row-actions">
        <button class="button" {...copies({ address: text, name })} aria-label={`${texts.copy}: ${name}`}>
          <Glyph name="copy" />
          {texts.copy}
        </button>
      </span>
    </div>
  );
}
