import type { Translation } from './language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  notFound: 'このアドレスには何もありません。',
  unauthenticated: 'サインインしていません。',
  internal: '内部エラーが発生しました。',
};
