import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  newBuild: '新しいビルド#{revision}があります。',
  show: '表示',
};
