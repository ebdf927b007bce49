import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  newBuildOf: '{name}の新しいビルド',
  title: '新しいビルド',
  line: 'アプリはパッケージから作成されます。',
  lineOfApp: '{packageName}のパッケージだけをアップロードできます。',

  file: 'パッケージ',
  kinds: '{kinds}、{limit}まで',
  both: 'IPAまたはAPK',
  android: 'APK',
  ios: 'IPA',
  files: 'ファイル',
  message: 'メッセージ',
  messageHint: 'このビルドの変更点。',
  page: '配布ページ',
  pageHint: 'アップロードの後、ビルドはこのページで公開されます。',
  noPage: 'なし',
  newPage: 'または、ページの名前を入力',
  newPageAlone: '配布ページ',
  newPageHint: 'ページがない場合は作成されます。上でページを選択した場合は使用されません。',
  newPageAloneHint: 'この名前のページで公開されます。ページがない場合は作成されます。',
  combobox: {
    create: '「{name}」を作成',
    hint: 'ページを選択するか、新しいページの名前を入力します。公開しない場合は空欄にしてください。',
  },
  note: 'リリースノート',
  noteHint: '配布ページでテスターに表示されます。空欄の場合、メッセージが使用されます。',
  quiet: 'このビルドのメールを送信しない',
  upload: 'アップロード',
  refused: 'アップロードできませんでした',
  elsewhere: '別のプロジェクトにアップロード',

  places: {
    title: '新しいビルド',
    line: 'どこにアップロードしますか？',
    own: 'これらのアプリを開けるのは、あなたと、あなたがアクセス権を付与した人だけです。',
  },

  drop: { anywhere: 'このページのどこにでもパッケージをドロップしてアップロードできます。' },

  refusals: {
    quota: 'ストレージの上限に達しました。ビルドを削除するか、管理者に上限の引き上げを依頼してください。',
    space: 'サーバーのディスク容量が不足しています。管理者に連絡してください。',
    tooLarge: 'ファイルが大きすぎます。上限は{limit}です（SLIPWAY_MAX_UPLOAD）。',
    tooMany: '過去1時間のアップロードが多すぎます。{wait}',
    noFile: '先にファイルを選択してください。',
  },

  row: {
    cancel: 'キャンセル',
    remove: '削除',
    retry: '再試行',
    copy: 'リンクをコピー',
    copied: 'コピーしました',
    openBuild: 'ビルドを表示',
    openPage: 'ページを開く',
  },

  result: {
    title: '新しいビルド',
    done: 'ビルドをアップロードしました。',
    viewBuild: 'ビルドを表示',
    another: '別のビルドをアップロード',
    publishedOn: '公開先',
    pageLine: 'このページを開けるすべての人が、ビルドをインストールできます。',
    notPublished: 'まだ公開されていません',
    buildLine:
      'アプリのメンバーは、このリンクからビルドをインストールできます。テスターと共有するには、公開してください。',
    publish: '公開',
  },

  script: {
    ready: '完了。{size}',
    waiting: '待機中',
    sending: '{size}中{sent}',
    rate: '{rate}/秒',
    left: '残り{time}',
    soon: 'まもなく完了',
    reading: 'パッケージを読み取っています…',
    canceled: 'キャンセルしました。何も保存されていません。',
    broken: '接続が切れました。再試行しても、ビルドが重複することはありません。',
    signedOut: 'サインアウトしています。別のタブでサインインしてから、再試行してください。',
    failed: 'サーバーで問題が発生しました。',
    tooLarge: 'ファイルが大きすぎます。上限は{limit}です（SLIPWAY_MAX_UPLOAD）。',
    empty: 'ファイルが空です。',
    folder: 'フォルダーです。パッケージ自体をドロップしてください。',
    wrongKind: 'パッケージではありません。ファイル名は{kinds}で終わる必要があります。',
    bundle: 'App Bundle（.aab）はインストールできません。APKをアップロードしてください。',
    revision: 'リビジョン{revision}',
    said: '{name}: {percent}アップロード済み。{left}',
    saidDone: '{name}をリビジョン{revision}としてアップロードしました。',
    saidStopped: '{name}: {why}',
  },
};
