import { texts } from '../shell/texts.ts';

/**
 * Covers the page while a file is dragged over it. `upload.js` opens the upload page at one of the addresses with the dropped
 * file. Without scripts it stays hidden.
 */
export function DropOverlay(props: {
  /** The owner to upload to. */
  name: string;
  address: string;
  /** The upload address for the other platform. */
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
        <bdi>{texts.drop.here({ name: props.name })}</bdi>
      </p>
    </div>
  );
}
