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
  nothing: 'インストールできるアプリはまだありません',
  nothingLine: 'テストするアプリがここに表示され、新しいビルドをすぐにインストールできます。',
  nothingHow:
    '表示されるはずのアプリがないときは、招待を承諾するか、チームから届いたリンクを開いてください。アクセス権の付与をチームに依頼することもできます。',
  develop: 'アプリを開発していますか？',
  developLine: 'ご自分のアカウント、またはチームで共有するプロジェクトにアップロードできます。',
};
