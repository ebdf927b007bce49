import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'アクティビティ',
  all: 'すべてのアクティビティ',
  installed: '<strong>{user}</strong>がインストール<soft>（{device}）</soft>',
  opened: '<strong>{user}</strong>が閲覧<soft>（{device}）</soft>',
  none: '過去90日間に、サインイン済みの人はこのビルドを開いていません。',
};
