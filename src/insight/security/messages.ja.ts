import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  titleOf: '#{revision}のセキュリティ',
  empty: 'この種類のパッケージから読み取れるセキュリティ情報はありません。',
  findings: '検出事項',
  noFindings: '改善すべき点は見つかりませんでした。',
  good: '問題なし',
  info: '参考情報',
  more: '{count, plural, other {ほか#件}}',
  severities: {
    high: '高',
    medium: '中',
    low: '低',
    info: '情報',
    good: '問題なし',
    not_analyzed: '未解析',
  },
  counts: {
    high: '高{count}件',
    medium: '中{count}件',
    low: '低{count}件',
    info: '{count, plural, other {情報#件}}',
    good: '問題なし{count}件',
    not_analyzed: '未解析{count}件',
  },
  notAnalyzed: 'この項目に必要な部分をパッケージから読み取れませんでした。',

  secrets: {
    title: 'パッケージ内のシークレット',
    line: 'アプリをインストールした人なら誰でも読み取れます。それぞれを失効させ、サーバー側で保管してください。',
    none: '既知の形式のキーやトークンは見つかりませんでした。',
    unseen: '大きすぎるため検索していないファイルや、読み取れなかったファイルがあります。',
    managers: 'このセクションはアプリを管理する人にだけ表示されます。',
    kinds: {
      aws_access_key: 'AWSアクセスキー',
      google_api_key: 'Google APIキー（失効ではなく、このアプリに制限してください）',
      stripe_key: 'Stripeの本番用キー',
      github_token: 'GitHubトークン',
      slack_token: 'Slackトークン',
      private_key: '秘密鍵',
    },
  },

  names: {
    debuggable: 'デバッグ可能',
    test_only: 'テスト専用',
    cleartext: '平文通信',
    cleartext_domains: '平文通信を許可するドメイン',
    user_certificates: 'ユーザーがインストールした証明書',
    exported_components: '公開サービス、レシーバー、プロバイダー',
    exported_activities: '公開アクティビティ',
    backup: 'クラウドバックアップ',
    backup_rules: 'クラウドバックアップ',
    backup_encryption: 'クラウドバックアップの暗号化',
    device_transfer: '新しい端末へのデータ移行',
    device_transfer_rules: '新しい端末へのデータ移行',
    deep_links: 'ディープリンク',
    get_task_allow: 'デバッグ',
    arbitrary_loads: 'App Transport Security',
    transport_exceptions: 'App Transport Securityの例外',
    url_schemes: 'URLスキーム',
    entitlements: 'エンタイトルメント',
    usage_descriptions: 'アプリが許可を求める可能性のあるデータ',
    background_modes: 'バックグラウンドモード',
  },

  found: {
    debuggable:
      '端末を手にした人は誰でも、アプリのデータを読み取り、アプリ内でコードを実行できます。android:debuggableのないビルドをリリースしてください。',
    test_only:
      '「adb install -t」でしかインストールできません。Android Studioが「実行」時に追加するandroid:testOnlyを削除してください。',
    cleartext:
      'アプリが暗号化せずにデータを送信する可能性があります。android:usesCleartextTrafficをfalseにし、必要な場合は個別のドメインだけを許可してください。',
    cleartext_domains:
      'ネットワークセキュリティ構成が、次のドメインとの平文通信を許可しています。HTTPSに切り替えてください：',
    user_certificates:
      '端末に証明書をインストールした人は誰でも、アプリの通信を読み取れます。ユーザー証明書はdebug-overridesでのみ信頼してください。',
    exported_components:
      '端末上のすべてのアプリが利用できます。android:exportedをfalseにするか、権限を必須にしてください：',
    exported_activities:
      '端末上のすべてのアプリが開けます。ランチャーに表示されるものは公開が必要です。それ以外で不要なものはandroid:exportedをfalseにしてください：',
    backup:
      'アプリのすべてのデータがユーザーのアカウントにバックアップされます。android:dataExtractionRulesでトークンを除外するか、android:allowBackupをfalseにしてください。',
    backup_rules:
      '{included, plural, =0 {{excluded, plural, other {#件のパスを除くすべて}}} other {#件のパスのみ}}がバックアップされます。トークンが含まれていないか確認してください：',
    backup_encryption:
      '画面ロックのない端末では、エンドツーエンドで暗号化されないバックアップも作成されます。防ぐには、android:dataExtractionRulesでdisableIfNoEncryptionCapabilitiesを設定してください。',
    device_transfer:
      'アプリのすべてのデータが新しい端末にコピーされます。Android 12以降で防ぐには、android:dataExtractionRulesのdevice-transferセクションが必要です。',
    device_transfer_rules:
      '{included, plural, =0 {{excluded, plural, other {#件のパスを除くすべて}}} other {#件のパスのみ}}がコピーされます。端末固有のキーが含まれていないか確認してください：',
    deep_links: 'アプリを開くリンクです。リンクの内容は信頼できない入力として扱ってください：',
    get_task_allow:
      'デバッガーがアプリに接続できます。リリースは配布用プロファイルで署名してください。get-task-allowが取り除かれます。',
    arbitrary_loads:
      'NSAllowsArbitraryLoadsにより、暗号化せずに接続できます。このキーを削除し、必要な場合は個別のドメインだけを指定してください。',
    transport_exceptions: '次のドメインに暗号化せずに接続できます。HTTPSに切り替えてください：',
    url_schemes:
      'ほかのアプリも同じスキームを登録できます。トークンの受け渡しには使わず、ユニバーサルリンクを使ってください：',
    entitlements: 'アプリの署名に含まれる権限です。使わないものは削除してください：',
    usage_descriptions: 'Info.plistの次の文言で許可を求めます。不要なものは削除してください：',
    background_modes:
      '次の目的でバックグラウンドで動作できます。App Reviewではそれぞれの理由が求められます：',
  },

  inOrder: {
    debuggable: 'デバッグできません。',
    test_only: 'テスト専用ではありません。',
    cleartext: '平文通信は許可されていません。',
    cleartext_domains: '暗号化の例外となるドメインはありません。',
    user_certificates: 'ユーザーがインストールした証明書は信頼されません。',
    exported_components: '権限なしでほかのアプリに公開されているものはありません。',
    exported_activities: '権限なしでほかのアプリに公開されているものはありません。',
    backup: 'アプリのデータはバックアップされません。',
    backup_encryption: 'エンドツーエンドで暗号化できる場合にのみバックアップされます。',
    device_transfer: 'アプリのデータは新しい端末にコピーされません。',
    get_task_allow: 'デバッガーはアプリに接続できません。',
    arbitrary_loads: '暗号化されない接続は原則として許可されていません。',
    transport_exceptions: '暗号化の例外となるドメインはありません。',
  },

  sets: {
    heading: 'セキュリティ',
    exported: '公開コンポーネント',
    deepLinks: 'ディープリンクとURLスキーム',
    entitlements: '署名のエンタイトルメント',
    domains: '暗号化しないドメイン',
    backup: 'クラウドバックアップ',
    deviceTransfer: '新しい端末へのデータ移行',
    allData: 'すべてのデータ',
  },
};
