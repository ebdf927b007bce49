import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  column: 'お使いの端末',
  install: 'インストール',
  installOf: '{app} {version}をインストール',
  update: '更新',
  updateOf: '{app}を{version}に更新',
  new: '新着',
  installed: '#{revision}をインストール済み',
  newer: '{count, plural, other {新しいビルド#件}}',
};
