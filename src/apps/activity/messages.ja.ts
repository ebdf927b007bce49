import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'アクティビティ',
  all: 'すべてのアクティビティ',
  installed: 'がインストール',
  opened: 'が閲覧',
  on: '端末:',
  none: '過去90日間に、サインイン済みの人はこのビルドを開いていません。',
};
