import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  tabs: {
    builds: 'ビルド',
    pages: 'ページ',
    activity: 'アクティビティ',
    testers: 'テスター',
    feedback: 'フィードバック',
    webhooks: 'Webhook',
    settings: '設定',
    alsoOn: '{platform}版もあります',
  },

  setup: {
    title: 'Slipwayの設定',
    progress: '{all, number}項目中{done, number}項目が完了',
    states: { done: '完了', warning: '対応が必要', open: '未完了' },
    address: '公開URLとHTTPS',
    mail: 'メール',
    sendTest: 'テストメールを送信',
    testSent: 'メールサーバーがテストメールを受け付けました。届いたことを確認してください。',
    unknown: 'サーバーの起動後、まだ確認されていません。',
    details: '詳細を表示',
    project: '最初のプロジェクト',
    projectLine:
      'プロジェクトでは、アプリをチームで共有できます。チームのないアプリは、自分のアカウントに置けます。',
    projectDone: 'プロジェクトのメンバーになっています。',
    newProject: '新しいプロジェクト',
    people: 'ユーザーを招待',
    peopleLine: 'テスターに必要なのはリンクだけです。開発者はサインインします。',
    peopleDone: 'ほかのユーザーのアカウントまたは招待があります。',
    invite: 'ユーザーを招待',
    checked: '<time></time>に確認',
    notChecked: '最初の2項目は、ここから確認できます。',
    check: '今すぐ確認',
    checkAgain: 'もう一度確認',
  },

  firstUpload: {
    title: '最初のビルドをアップロード',
    line: 'アプリの名前、アイコン、バージョン、署名は、パッケージから読み取られます。',
    drop: 'ここにAPK、AABまたはIPAをドロップ',
    choose: 'ファイルを選択',
    ci: 'または、CIからアップロード',
    ciLine:
      'GitHub Actions、GitLab、CircleCIなどでは、リポジトリを信頼するだけで、キーを保存する必要はありません。',
    setUpCi: 'CIを設定',
    curl: 'curlを使う',
  },

  list: {
    app: 'アプリ',
    latest: '最新のビルド',
    live: '公開先',
    updated: '更新',
    notLive: '未公開',
  },

  pages: {
    all: 'すべてのページ',
    none: '公開中のページはありません。ビルドをページに公開すると、テスターがリンクからインストールできます。',
    facts: 'インストール{installs, plural, other {#件}}、更新：<time></time>',
    accessOf: '{page}を開ける人：{access}',
    check: 'インストールできない原因を調べる',
    checkOf: '{page}からインストールできない原因を調べる',
    access: {
      unlisted: 'リンクを知っている人',
      passcode: 'リンクとパスコードを知っている人',
      members: 'アプリにアクセスできる人',
      groups: '選択したグループの人',
    },
    states: {
      closed: '公開終了',
      expired: '期限切れ',
      no_installs_left: 'インストール上限',
      not_yet: '準備中',
      networks: 'ネットワーク限定',
      groups: 'グループ限定',
      members: 'メンバー限定',
      passcode: 'パスコード',
      open: '公開中',
    },
    until: '{day}まで',
    expiredOn: '{day}に期限切れ',
    networks: '{count, number}個のネットワークから',
    limited: 'インストール{limit}件中{installs}件',
  },

  errors: {
    gone: 'このアプリは存在しません。',
    alreadyDeleted: 'このアプリはすでに削除されています。',
    linkExpired: 'このリンクは期限切れです。リンクのあるページを再読み込みしてください。',
  },

  settings: {
    secret: 'アプリのシークレット',
  },

  app: {
    builds: 'ビルド',
    latest: '最新',
    noBuilds: 'ビルドはありません',
    noBuildsLine: 'このアプリのビルドはすべて削除されました。',
    noMatches: '一致するビルドはありません',
    noMatchesLine: 'バージョン、ブランチ、コミット、ラベル、メッセージ内の語句で検索してください。',
    noMatchesYet: '一致するビルドはまだ見つかっていません',
    searchedNewer: '{count, number}件のビルドを検索しました。続けるには「新しいもの」を選んでください。',
    searchedOlder: '{count, number}件のビルドを検索しました。続けるには「古いもの」を選んでください。',
    search: 'ビルドを検索',
    clearSearch: 'すべて表示',
    downloadOf: '{name} {version}（リビジョン{revision}）をダウンロード',
    revision: '#{revision}',
    revisionLong: 'リビジョン{revision}',

    pagingLabel: 'ほかの{platform}ビルド',
    blocked: 'インストールできません',
    warned: '{count, plural, other {警告#件}}',
  },
};
