import { catalog } from '../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';

export const webhookTexts = catalog({ en, ja });

export const durationText = (milliseconds: number) =>
  milliseconds < 1000
    ? webhookTexts.tookMilliseconds({ time: milliseconds })
    : webhookTexts.tookSeconds({ time: (milliseconds / 1000).toFixed(1) });
