import { texts } from '../shell/texts.ts';

/**
 * Covers the page while a file is dragged over it. `upload.js` opens the upload page at one of the addresses with what was
 * dropped; without script it stays hidden.
 */
export function DropOverlay(props: {
  /** Whom the upload goes to. */
  name: string;
  address: string;
  /** Where a package of that platform goes instead. */
  android?: string | undefined;
  ios?: string | undefined;
}) {
  return (
    <div
      class="drop-overlay"
      data-drop={props.address}
      data-apk={props.android}
      data-ipa={props.ios}
      data-failed={texts.drop.failedToOpen}
      hidden
    >
      <p>
        <bdi>{texts.drop.here(props.name)}</bdi>
      </p>
    </div>
  );
}
