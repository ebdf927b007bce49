import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'グループ',
  lineProject:
    'QA、ベータ、クライアントなどのグループで、配布ページを開ける人を決めます。グループには、プロジェクトのメンバーだけを追加できます。',
  lineUser:
    'QA、ベータ、クライアントなどのグループで、配布ページを開ける人を決めます。グループには、自分のアプリへのアクセス権がある人だけを追加できます。',
  none: 'グループはまだありません',
  noneLine: 'グループを作成してメンバーを追加し、ページの設定で選択します。',
  people: '{count, plural, other {#人}}',
  newGroup: '新しいグループ',
  name: '名前',
  nameHint: '例：QA、ベータ、クライアント',
  create: 'グループを作成',
  crumbs: 'グループ',
  members: 'メンバー',
  nobody: 'このグループにはまだ誰もいません。',
  add: '名前またはメールアドレスで追加',
  addHintProject: 'プロジェクトのメンバー。',
  addHintUser: 'アプリを共有している人。',
  addButton: 'グループに追加',
  remove: '外す',
  removeOf: '{name}をグループから外す',
  removeLine: 'このグループに限定されたページを開けなくなります。もう一度追加することもできます。',
  pages: 'このグループのページ',
  noPages: 'このグループを使用しているページはありません。ページの設定の「ページを開ける人」で選択します。',
  rename: '名前を変更',
  renameButton: '保存',
  delete: 'グループを削除',
  deleteLine:
    'グループのメンバーのアプリへのアクセス権は変わりません。このグループだけのページを開けるのは、アプリを管理する人だけになります。',
  done: {
    created: 'グループを作成しました。',
    renamed: 'グループの名前を変更しました。',
    added: 'グループに追加しました。',
    already: 'すでにグループに入っています。',
    removed: 'グループから外しました。',
    deleted: 'グループを削除しました。',
  },
  errors: {
    nameTaken: '同じ名前のグループがあります。',
    unknown: 'この名前またはメールアドレスの人にはアクセス権がありません。先にアクセス権を付与してください。',
    full: 'グループに追加できるのは{limit, number}人までです。',
    tooMany: 'グループは{limit, number}個までです。先にグループを削除してください。',
  },
};
