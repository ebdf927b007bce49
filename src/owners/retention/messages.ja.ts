import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: '保持ルール',
  titleOf: '{name}の保持ルール',
  rules: {
    everything: 'すべてのビルドを保持します。',
    days: '過去{days, plural, =1 {24時間} other {#日間}}のすべてのビルドと、最新のビルドを常に保持し、ほかは削除します。',
    daysOfEach:
      '過去{days, plural, =1 {24時間} other {#日間}}のすべてのビルドと、各アプリの最新のビルドを保持し、ほかは削除します。',
    newest: '最新の{newest, plural, other {#件}}のビルドを保持し、古いビルドは削除します。',
    newestOfEach: '各アプリの最新の{newest, plural, other {#件}}のビルドを保持し、古いビルドは削除します。',
    both: '最新の{newest, plural, other {#件}}のビルドと、過去{days, plural, =1 {24時間} other {#日間}}のすべてのビルドを保持し、ほかは削除します。',
    bothOfEach:
      '各アプリの最新の{newest, plural, other {#件}}のビルドと、過去{days, plural, =1 {24時間} other {#日間}}のすべてのビルドを保持し、ほかは削除します。',
  },

  now: '現在のルール',
  from: {
    app: 'このアプリで設定されています。',
    user: '{name}のすべてのアプリで設定されています。',
    project: 'プロジェクト{name}で設定されています。',
    workspace: 'ワークスペース{name}で設定されています。',
    none: 'ルールは設定されていません。',
  },
  own: { owner: 'ここで設定されています。', workspace: 'ここで設定されています。' },
  nearer: {
    owner: 'アプリごとに別のルールを設定できます。',
    workspace: 'プロジェクトまたはアプリごとに別のルールを設定できます。',
  },
  always: '保護されたビルド、配布ページで公開中のビルド、アプリの最新のビルドは削除されません。',
  undo: '削除されたビルドは24時間以内に復元できます。復元したビルドには、1週間ルールが適用されません。',

  rule: 'ルール',
  which: '保持するビルド',
  kinds: {
    everything: 'すべてのビルドを保持',
    some: '古いビルドを削除',
    asUser: '{name}のルールを使用',
    asProject: 'プロジェクト{name}のルールを使用',
    asWorkspace: 'ワークスペース{name}のルールを使用',
  },
  newest: '最新のビルド',
  newestHint:
    '保持するビルドの数を、1から{limit, number}までで入力します。空欄の場合、最新の1件だけを保持します。',
  newestHintOfEach:
    'アプリごとに保持するビルドの数を、1から{limit, number}までで入力します。空欄の場合、最新の1件だけを保持します。',
  days: '日数',
  daysHint:
    'この日数の間のすべてのビルドを保持します。1から{limit, number}まで。空欄の場合、日数では判断しません。',
  errors: {
    choose: 'ビルドの数か日数、または両方を入力してください。',
    kind: '選択してください。',
    number: '1から{limit, number}までの整数を入力するか、空欄にしてください。',
  },
  show: 'プレビュー',

  goes: '削除されるビルド',
  nothing: '今削除されるビルドはありません。',
  total: '{count, plural, other {#件}}のビルド、{size}',
  totalInApps: 'アプリ{apps, number}件のビルド{count, number}件、{size}',
  unseen: 'どのチームにも入っていないため、アプリは表示されません。',
  list: '削除されるビルド',
  appList: 'ビルドが削除されるアプリ',
  paging: 'プレビューのページ',
  previous: '前へ',
  next: '次へ',
  save: '保存',
  saveAndRemove: '保存して{count, plural, other {#件}}のビルドを削除',
  saved: '保存しました。ルールで保持されないビルドを削除しています。',
};
