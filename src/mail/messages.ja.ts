import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  unavailableTitle: 'メールが設定されていません',
  unavailableReasons: {
    'no-smtp':
      'メールサーバーが設定されていません。新しいビルドのメールを送信するには、SLIPWAY_SMTP_URLとSLIPWAY_MAIL_FROMを設定してください。',
    'no-url':
      'メール内のリンクには、このサーバーの公開URLが必要です。新しいビルドのメールを送信するには、SLIPWAY_URLを設定してください。',
  },
  kept: 'それまで、メールはSlipwayに保存されます。このページで読むことができます。',
  startNotice: '{reason}それまで、メールはSlipwayに保存されます。/administration/mailで読むことができます。',

  message: {
    subject: '{app} {version}（{platform}）',
    lead: '{platform}の新しいビルド',
    install: 'インストール',
    whatsNew: '変更点',
    size: 'サイズ',
    uploadedBy: 'アップロード者',
    failedChecks: '不合格のチェック',
    checksUnknown: 'メールの送信時点では不明',
    reasons: {
      chosen: '{app}のメール通知をオンにしているため、このメールをお送りしています。',
      team: '{app}が、参加中のプロジェクト{owner}のアプリであるため、このメールをお送りしています。',
      owner: '{app}を所有しているため、このメールをお送りしています。',
      shared: '{app}へのアクセス権があるため、このメールをお送りしています。',
    },
    unsubscribe: 'このアプリの通知を停止',
    settings: 'メールの設定',
  },

  reminder: {
    subject: '{owner}のアプリ{count, plural, other {#件}}が、{day}からストアの規則に反します',
    subjectOfApp: '{app}は、{day}からストアの規則に反します',
    intro:
      '{days, plural, =1 {明日} other {#日後}}に始まるストアの規則に、{owner}のアプリ{count, plural, other {#件}}が反しています。',
    introOfMonth:
      '{month}（日付は未公表）に始まるストアの規則に、{owner}のアプリ{count, plural, other {#件}}が反しています。',
    rule: '{destination}：{name}',
    advice: '対応：{advice}',
    app: '{app} #{revision}（{platform}）',
    more: 'ほか{count, plural, other {#件}}',
    source: '出典',
    reported: '報告（ストアの記載は未確認）',
    open: 'ストアの規則を見る',
    accepted: 'ビルドをそのままにする場合は、チェックのページで、理由を添えて結果を承認してください。',
    reason: '{owner}のアプリを管理しているため、このメールをお送りしています。',
    unsubscribe: '{owner}のアプリの通知を停止',
  },

  unsubscribe: {
    title: '通知を停止しますか？',
    question: '{app}（{platform}）についてのメールが届きます。',
    questionOfOwner: '{owner}のアプリについてのメールが届きます。',
    confirm: '通知を停止',
    offTitle: '通知を停止しました',
    off: '{app}（{platform}）についてのメールは届かなくなります。',
    offOfOwner: '{owner}のアプリについてのメールは届かなくなります。',
    undo: '通知を再開',
    onTitle: '通知を再開しました',
    on: '{app}（{platform}）についてのメールが届きます。',
    onOfOwner: '{owner}のアプリについてのメールが届きます。',
    account: 'アカウント{name}に適用されます。',
    settings: 'すべてのメール設定',
  },

  settings: {
    title: '新しいビルドのメール通知',
    lead: 'メールは{address}に届きます。',
    noAddress:
      'アカウントにメールアドレスが登録されていないため、メールを送信できません。管理者に登録を依頼してください。',
    notSet: '管理者がこのサーバーのメールを設定すると、この内容が適用されます。',
    groups: {
      ios: { title: 'iOS', line: '初期設定はオンです。' },
      android: { title: 'Android', line: '初期設定はオフです。' },
    },
    save: '保存',
    savedLine: '保存しました。変更は次のビルドから適用されます。',
    empty: 'アプリはまだありません',
    emptyLine: 'アクセスできるアプリがここに表示されます。',
    more: 'ほかのアプリ',
  },

  test: {
    send: 'テストメールを送信',
    to: '宛先：{address}',
    noAddress: 'テストメールを送信するには、アカウントにメールアドレスを追加してください。',
    sent: 'メールサーバーが{address}へのテストメールを受け付けました。届いたか確認してください。',
    failed: 'テストメールを送信できませんでした',
    uncertain: 'テストメールは送信されていない可能性があります',
    reason: '{site}（{host}）からテストメールを送信したため、このメールが届いています。',
    subject: '{site}からのテストメール',
    canSend: '{site}はメールを送信できます。',
    spam: 'このメールが迷惑メールに振り分けられた場合は、送信元ドメインのSPF、DKIM、DMARCレコードを確認してください。',
    link: 'メールの管理',
  },

  errors: {
    unavailable: 'このサーバーはメールを送信できません。',
    noAddress: 'アカウントにメールアドレスが登録されていません。',
    notFailed: '再試行できるのは、送信に失敗したメールだけです。',
  },
  administration: {
    title: 'メール',
    lead: '新しいビルドのメールの配信状況です。',
    states: {
      waiting: '待機中',
      sending: '送信中',
      sent: '送信済み',
      dead: '失敗',
      uncertain: '不明',
      closed: '未送信',
      kept: '保存済み',
    },
    meanings: {
      waiting: 'これから送信または再試行します。',
      sending: 'メールサーバーに送信しています。',
      sent: 'メールサーバーが受け付けました。',
      dead: 'メールサーバーに拒否されたか、24時間にわたって失敗しました。',
      uncertain:
        'メールサーバーに送信しましたが、受け付けを確認できませんでした。届いている可能性があるため、再送信しません。',
      closed: '送信前に期限切れになったか、受信者が通知を停止しました。',
      kept: 'メールサーバーが設定されていなかったため、保存されました。',
    },
    ownErrors: {
      'no-address': 'メールアドレスの形式が正しくありません。',
      'timed-out': 'メールサーバーから時間内に応答がありませんでした。',
      interrupted: '送信中にサーバーが停止しました。',
      unwanted: 'メールは不要になりました。',
      old: '送信できないまま時間が経過しました。',
    },
    all: 'すべて',
    filter: '状態で絞り込み',
    empty: 'メールはありません',
    emptyLine: '通知を受け取る人がいるビルドがアップロードされると、ここに表示されます。',
    to: '宛先',
    person: 'ユーザー',
    build: 'ビルド',
    error: '理由',
    created: '作成',
    changed: '更新',
    attempts: '試行回数',
    retry: '再試行',
    text: 'テキスト',
    html: 'HTMLで表示',
    noText: 'ビルドとともに、メールの本文も削除されました。',
    more: 'ほかのメール',
  },
};
