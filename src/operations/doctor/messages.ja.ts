import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  lead: '端末がこのサーバーからインストールするために必要なもの（公開アドレス、証明書、前段のプロキシ、ディスク容量、時計、メール）を確認します。',
  run: '診断を実行',
  runAgain: 'もう一度実行',
  takes: '最大30秒かかります。何も保存されず、メールも送信されません。',
  command: 'ターミナルで実行',
  results: '結果',
  checkedAt: '確認日時：<time></time>',
  states: { ok: '正常', warning: '警告', problem: '問題', skipped: '省略' },
  summary: {
    problem: '{count, plural, other {#件}}の問題が見つかりました。',
    warning: '問題はありません。警告が{count, plural, other {#件}}あります。',
    ok: 'すべて正常です。',
  },

  titles: {
    version: 'バージョン',
    'data-folder': 'データフォルダー',
    'disk-space': 'ディスク容量',
    database: 'データベース',
    'file-store': 'ファイルの保存先',
    totals: '集計',
    audit: '監査ログ',
    files: '保存されたファイル',
    clock: '時計',
    'package-reader': 'パッケージの読み取り',
    https: 'HTTPS',
    certificate: '証明書',
    address: '公開アドレス',
    'proxy-headers': 'プロキシのヘッダー',
    'upload-size': 'アップロードのサイズ',
    'request-buffering': 'リクエストのバッファリング',
    downloads: 'ダウンロード',
    mail: 'メール',
    'single-sign-on': 'シングルサインオン',
    saml: 'SAML',
    ldap: 'LDAP',
  },

  version: 'Slipway {version}が動作しています。',
  versionOnNode: 'Slipway {version}がNode {node}で動作しています。',

  dataFolder: {
    good: '{folder}は所有者だけが読み書きできます。',
    missing: 'フォルダー{folder}が存在しません。',
    missingAdvice: 'サーバーを一度起動するか、SLIPWAY_DATA_DIRをサーバーと同じ値に設定してください。',
    open: '{folder}のモードは{mode}で、ほかのアカウントもアクセスできます。',
    openAdvice: 'chmod 700 {folder}を実行してください。',
    closed: '{folder}に書き込めません。',
    closedAdvice: '診断とサーバーを、フォルダーを所有するアカウントで実行してください。',
    noModes: 'このシステムはフォルダーのモードに対応していません。',
  },

  disk: {
    good: '空き容量は{free}です。',
    low: '空き容量は{free}で、最大のアップロード{largest}より少なくなっています。',
    lowAdvice: '空き容量を増やすか、SLIPWAY_MAX_UPLOADを小さくしてください。',
    full: '空き容量は{free}です。{minimum}を下回ると、アップロードできません。',
    fullAdvice: '古いビルドを削除するか、データフォルダーを大きなディスクに移動してください。',
    unknown: '空き容量を読み取れませんでした：{reason}',
    unknownAdvice: 'データフォルダーが、マウントされたディスクにあることを確認してください。',
  },

  database: {
    good: '{kind}は応答しています。',
    bad: 'データベースが応答しません：{reason}',
    badAdvice: 'SLIPWAY_DATABASE_URLと、データベースが動作していることを確認してください。',
  },

  fileStore: {
    good: 'ファイルの保存先は読み書きできます。',
    bad: 'ファイルの保存先が応答しません：{reason}',
    badAdvice: 'SLIPWAY_BLOB_URLと権限を確認してください。',
  },

  totals: {
    good: 'ストレージの集計は正確です。',
    wrong: '{count, plural, other {#件}}のストレージの集計が正しくありません。',
    wrongAdvice: 'slipway sweepを実行して集計し直してください。容量制限は集計をもとに判断されます。',
    unknown: 'ストレージの集計を計算できませんでした：{reason}',
  },

  audit: {
    sealed: 'ハッシュチェーンには{sealed}件の記録があります。ログは送信されていません。',
    streamed: '{receiver}がログを受信しています。送信待ちは{waiting}件です。',
    notStreamed: '{receiver}がログを受信していません。送信待ちは{waiting}件です：{reason}',
    advice:
      '受信側とSLIPWAY_AUDIT_STREAMを確認してください。Slipwayは少なくとも1分ごとに再試行し、送信待ちの記録をすべて送信します。',
    broken: '監査ログのハッシュチェーンが直接変更されたか、このサーバーのシークレットでは検証できません。',
    brokenAdvice: 'slipway audit verifyを実行して、変更された箇所を確認してください。',
    unknown: '監査ログを確認できませんでした：{reason}',
  },

  files: {
    good: '破損したファイルは見つかっていません。',
    damaged: '{count, plural, other {{builds}件}}のビルドのファイルが破損しています。',
    damagedAdvice:
      'slipway doctor --filesで対象を確認し、バックアップからファイルを復元して、もう一度実行してください。',
    unknown: '破損したファイルを数えられませんでした：{reason}',
  },

  clock: {
    good: '時計は、ほかの時計と一致しています。',
    alone: '時計の時刻は妥当です。比較できる時計はありません。',
    wrong: '時計は{time}を示していますが、正しくありません。',
    apart: 'このマシンと{whose}の時計が{seconds, number}秒ずれています。',
    nodeApart: 'ノード{host}とデータベースの時計が{seconds, number}秒ずれています。',
    ofDatabase: 'データベース',
    ofAddress: '公開アドレス',
    advice: '両方のマシンで時刻同期（NTP）を有効にしてください。リンクと証明書の判定に必要です。',
  },

  packageReader: {
    closed: 'パッケージを読み取るプロセスは、ネットワークなしで動作しています。',
    bestEffort:
      'このシステムでは、パッケージを読み取るプロセスをネットワークなしで起動できません。JavaScriptからの接続は防ぎますが、ネイティブコードからの接続は防げません。',
  },

  https: {
    good: '{origin}はHTTPSのアドレスです。',
    unset: 'SLIPWAY_URLが設定されていないため、サーバーは自分のアドレスを把握していません。',
    unsetAdvice:
      'SLIPWAY_URLに、端末が開くアドレス（https://apps.example.comなど）を設定してください。方法はdocs/behind-a-proxy.mdにあります。',
    plain: '{origin}はHTTPSのアドレスではありません。iOSはHTTPSでのみインストールできます。',
    plainAdvice:
      'TLS証明書を設定したリバースプロキシを前段に置き、SLIPWAY_URLにhttpsのアドレスを設定してください。docs/behind-a-proxy.mdにnginxとCaddyの例があります。',
  },

  skippedPlain: '公開アドレスがHTTPSではありません。',
  skippedUnset: 'SLIPWAY_URLが設定されていません。',
  skippedUnreached: '公開アドレスがこのサーバーにつながりません。',
  skippedSecret: 'このインストールのシークレットを読み取れませんでした。サーバーを一度起動してください。',
  skippedFolder: 'データフォルダーが存在しません。',

  certificate: {
    good: '信頼された証明書で、{day}まで有効です（発行者：{issuer}）。',
    noTls: 'TLS接続に失敗しました：{reason}',
    noTlsAdvice: 'プロキシがこのポートでTLSと証明書を使用していることを確認してください。',
    errors: {
      expired: '{day}に期限が切れています。',
      early: '{day}より前は有効ではありません。',
      selfSigned: '自己署名証明書です。端末は自己署名証明書を信頼しません。',
      wrongHost: '{host}ではなく{names}に対して発行されています。',
      incomplete: 'チェーンが不完全です。{issuer}を信頼された認証局につなぐ証明書がありません。',
      unknownAuthority: 'このマシンは認証局を信頼していません：{issuer}',
      revoked: '失効しています。',
      other: '信頼されていません（{code}）。',
    },
    advice: {
      expired: '証明書を更新し、自動更新に失敗した原因を確認してください。',
      early: 'このマシンの時計を確認するか、しばらくお待ちください。',
      selfSigned:
        'Let’s Encryptなどの公的な認証局から証明書を取得してください。Caddyとcertbotは自動で取得します。',
      wrongHost: 'このホストの証明書を取得するか、SLIPWAY_URLに証明書のホストを設定してください。',
      incomplete:
        '証明書だけでなく、チェーン全体（fullchain.pem）をプロキシに設定してください。プライベート認証局の場合は、NODE_EXTRA_CA_CERTSにその証明書を設定してください。',
      unknownAuthority:
        '公的な認証局から証明書を取得するか、プライベート認証局をすべての端末にインストールし、NODE_EXTRA_CA_CERTSにその証明書を設定してください。',
      other: '証明書を取り替えてください。',
    },
    expiring: '{day}に期限が切れます（あと{days, plural, other {#日}}）。',
    expiringAdvice: '今すぐ更新し、自動更新されていない原因を確認してください。',
    noNames: 'ホスト名がsubjectにしかありません。iOSではsubjectAltNameが必要です。',
    tooLong: '有効期間が{days}日です。iOSで使用できるのは825日までです。',
    weakKey: 'RSA鍵が{bits}ビットです。iOSでは2048ビット以上が必要です。',
    unfitAdvice: 'iOSの要件を満たす新しい証明書を取得してください。',
    privateAuthority: 'このマシンではプライベート認証局により信頼されています：{issuer}',
    privateAdvice:
      'すべての端末にもこの認証局をインストールするか、公的な認証局から証明書を取得してください。',
  },

  address: {
    good: '{origin}はこのサーバーにつながります。',
    failed: '{origin}に接続できませんでした：{reason}',
    failedAdvice:
      'サーバーとプロキシが動作していること、名前がプロキシのアドレスに解決されること、ファイアウォールが接続を遮断していないことを確認してください。',
    gateway: '{origin}のプロキシが{status}を返しています。サーバーに接続できていません。',
    gatewayAdvice:
      'サーバーを起動し、プロキシがSLIPWAY_HOSTとSLIPWAY_PORTにリクエストを転送していることを確認してください。',
    redirect: '{origin}は{to}にリダイレクトされます。',
    redirectAdvice: 'SLIPWAY_URLに最終的なアドレスを設定してください。',
    elsewhere:
      '{origin}では別のものが応答しています（ステータス{status}）。または、シークレットが異なるサーバーです。',
    elsewhereAdvice:
      'SLIPWAY_URLとプロキシがこのサーバーにつながること、診断が同じデータフォルダーとSLIPWAY_SECRETを使用していることを確認してください。',
  },

  proxy: {
    direct: 'リクエストはクライアントから直接届いています。間にプロキシはありません。',
    good: 'サーバーは{scheme}、{host}、訪問者のアドレス{client}を認識しています。',
    notTrusted:
      '{peer}のプロキシはクライアントのアドレスを転送していますが、サーバーはこのプロキシを信頼していません。',
    notTrustedAdvice: 'SLIPWAY_TRUST_PROXYに{peer}を設定し、サーバーを再起動してください。',
    absent: 'プロキシが{names}を送信していません。',
    passedOn: 'プロキシが、訪問者の送った{names}をそのまま転送しています。訪問者が偽装できます。',
    differs: 'サーバーが認識しているのは{what}です。',
    schemeIs: '{wanted}ではなく{seen}のスキーム',
    hostIs: '{wanted}ではなく{seen}のホスト',
    advice:
      'docs/behind-a-proxy.mdのとおり、プロキシ自身がX-Forwarded-For、X-Forwarded-Proto、X-Forwarded-Hostを設定するようにしてください。',
  },

  uploadSize: {
    good: '{size}のアップロードがサーバーに届きます。',
    refused: 'プロキシが{size}のアップロードを拒否しています（ステータス413）。',
    refusedAdvice:
      '制限を緩めてください。nginxではclient_max_body_size 0、Caddyではrequest_bodyの制限をなくします。',
    unclear: '最大サイズのアップロードが通るかどうかを確認できませんでした：{reason}',
    unclearAdvice: 'プロキシのリクエストのサイズと時間の制限を確認してください。',
  },

  buffering: {
    good: 'アップロードは、送信と同時にサーバーに届きます。',
    responseDelayed: 'プロキシが、転送する前にアップロード全体をバッファリングしています。',
    heldUpAdvice:
      'リクエストのバッファリングを無効にしてください（nginxではproxy_request_buffering off）。ディスクの使用量が2倍になり、エラーの通知も遅れます。',
    unclear: 'アップロードがすぐに転送されるかどうかを確認できませんでした：{reason}',
  },

  downloads: {
    good: '範囲リクエストは正しく動作し、内容も変わっていません。',
    wrong: '範囲リクエストが誤った内容を返しました（ステータス{status}）。',
    wrongAdvice: 'プロキシがRange、Content-Range、ETagを転送し、圧縮しないように設定してください。',
    failed: '範囲リクエストに失敗しました：{reason}',
  },

  saml: {
    good: '{provider}のメタデータを読み取れました。{metadata}をプロバイダーに登録してください。',
    bad: 'SAMLプロバイダーのメタデータを使用できません：{reason}',
    badAdvice:
      'SLIPWAY_SAML_METADATAを確認してください。プライベートネットワークのアドレスには、SLIPWAY_HOOK_NETWORKSの設定が必要です。',
  },

  ldap: {
    good: '{directory}の{baseDn}以下で{people}人を読み取れました。',
    nobody: '{directory}は応答していますが、{baseDn}以下に人が見つかりません。',
    nobodyAdvice:
      'SLIPWAY_LDAP_BASE_DN、SLIPWAY_LDAP_USER_FILTER、SLIPWAY_LDAP_ATTRIBUTESと、SLIPWAY_LDAP_BIND_DNのアカウントの読み取り権限を確認してください。',
    bad: '{directory}を使用できません：{reason}',
    badAdvice: 'SLIPWAY_LDAP_URLとSLIPWAY_LDAP_CA、およびこのマシンから接続できることを確認してください。',
    bindAdvice: 'SLIPWAY_LDAP_BIND_DNとそのパスワードを確認してください。',
    baseAdvice:
      'SLIPWAY_LDAP_BASE_DNを確認してください。{baseDn}が存在しないか、SLIPWAY_LDAP_BIND_DNのアカウントに読み取り権限がありません。',
  },

  singleSignOn: {
    good: '{issuer}は応答しています。このサーバーのリダイレクトURIとして{returnAddress}を登録してください。',
    unset:
      '{issuer}は応答していますが、SLIPWAY_URLが設定されていないため、リダイレクトURIは訪問者が開いたアドレスによって変わります。',
    unsetAdvice: 'SLIPWAY_URLを設定し、その/sign-in/sso/callbackをプロバイダーに登録してください。',
    bad: '{issuer}を使用できません：{reason}',
    badAdvice:
      'SLIPWAY_OIDC_ISSUERがプロバイダーのissuerと完全に一致し、このマシンから接続できることを確認してください。',
  },

  mail: {
    good: '{server}にログインできました。メールは送信していません。',
    unset: 'メールサーバーが設定されていないため、新しいビルドはテスターにメールで通知されません。',
    unsetAdvice: 'SLIPWAY_SMTP_URLとSLIPWAY_MAIL_FROMを設定してください。',
    bad: '{server}を使用できません：{reason}',
    badAdvice: 'SLIPWAY_SMTP_URLのホスト、ポート、ユーザー名、パスワードを確認してください。',
  },

  reasons: {
    ENOTFOUND: 'ホスト名が存在しません',
    EAI_AGAIN: 'ホスト名を解決できませんでした',
    ECONNREFUSED: '接続が拒否されました',
    ECONNRESET: '接続がリセットされました',
    EPIPE: '接続がリセットされました',
    ETIMEDOUT: '接続がタイムアウトしました',
    EHOSTUNREACH: 'ホストに到達できません',
    ENETUNREACH: 'ホストに到達できません',
    UND_ERR_SOCKET: '接続がリセットされました',
    UND_ERR_CONNECT_TIMEOUT: '接続がタイムアウトしました',
    EPROTO: 'サーバーがTLSを使用していません',
    ERR_SSL_WRONG_VERSION_NUMBER: 'サーバーがTLSを使用していません',
    ERR_SSL_PACKET_LENGTH_TOO_LONG: 'サーバーがTLSを使用していません',
  },
  status: 'ステータスは{status}でした',
};
