import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  errors: {
    only: '{place}が受け付けるのは、信頼済みパブリッシャーのビルドだけです。',
    onlyDeleted:
      '{place}が受け付けるのは信頼済みパブリッシャーのビルドだけなので、削除できるのはオーナーチームだけです。',
    taken: '{name}という名前の信頼済みパブリッシャーがすでに存在します。',
    full: '信頼済みパブリッシャーの上限（{limit, number}件）に達しました。使用していないものを削除してください。',
    app: 'パッケージ名は、英字、数字、ドット、-、_を1～255文字で入力してください。',
    pattern: 'パターンは{limit, number}文字以内で入力してください。見えない文字は使用できません。',
    issuer:
      '発行者は、トークンの記載どおりに、httpsで{limit, number}文字以内で入力してください（{example}）。',
    issuers: {
      github:
        'https://token.actions.githubusercontent.com、同じURLに/ENTERPRISEを付けたもの、またはhttps://HOST/_services/token',
      gitlab: 'GitLabサーバーのURL',
      circleci: 'https://oidc.circleci.com/org/ORGANIZATION_ID',
      bitbucket: 'https://api.bitbucket.org/2.0/workspaces/WORKSPACE/pipelines-config/identity/oidc',
      buildkite: 'https://agent.buildkite.com',
      bitrise: 'https://token.builds.bitrise.io',
      other: 'トークンのクレームissの値。一覧にあるCIの発行者は使用できません',
    },
    selfHosted: 'セルフホストランナーを区別できるのは、GitHubのパブリッシャーだけです。',
    rules: {
      tooMany: 'ルールは{limit, number}件までです。',
      claim: 'クレームの名前は1～{limit, number}文字で入力してください。見えない文字は使用できません。',
      checked: 'クレーム{claim}は常に確認されるため、ルールを設定できません。',
      twice: 'クレーム{claim}のルールが複数あります。one_ofを使用してください。',
      values: '{claim}のルールには、1～{limit, number}件の値を指定してください。',
      value:
        '{claim}の値は1～{limit, number}文字で入力してください。前後の空白と見えない文字は使用できません。',
      identity: 'リポジトリを特定するルールが必要です。{claims}のルールを追加してください。',
      bitrise:
        'Bitriseでは、公開リポジトリを誰でもビルドできます。app_slugなど、Bitriseのアプリを示すルールを追加してください。',
      another: 'そのほかの発行者には、subのルールと、少なくとももう1件のルールが必要です。',
      prefix: '{claim}の先頭の文字列には、リポジトリの所有者とスラッシュを含めてください（例：acme/）。',
    },
  },
  exchange: {
    noAddress:
      'このサーバーには公開アドレスがありません。IDトークンのaudienceになるSLIPWAY_URLを設定してください。',
    missing: 'subject_tokenがありません。',
    type: 'subject_token_typeには{type}を指定してください。',
    requested: 'requested_token_typeに指定できるのは{type}だけです',
    delegation: 'actor_tokenには対応していません',
    audience: 'キーはこのサーバー用です。audienceを省略し、所有者またはアプリをresourceに指定してください',
    scope: '指定できるスコープはuploadだけです。',
    resource:
      'resourceには、オーナー、または「オーナー/プラットフォーム/パッケージ名」を指定してください。プラットフォームはandroidまたはiosです。',
    tooLarge: 'IDトークンは{limit, number}バイト以内です。',
    malformed: 'subject_tokenはJSON Web Tokenではありません。',
    algorithm: 'IDトークンのアルゴリズムは{algorithms}のいずれかです。criticalな拡張は使用できません。',
    invalid:
      'このIDトークンは使用できません。オーナーが信頼する発行者による、変更されていない、audienceが{audience}のトークンが必要です。',
    unavailable: '発行者の鍵を読み込めません。1分後にもう一度お試しください。',
    times: 'クレームexp、iat、nbfは秒数で指定してください。',
    id: 'クレームjtiは1～{limit, number}文字の文字列です。',
    expired: 'IDトークンの有効期限が切れています。アップロードの直前に取得してください。',
    early: 'IDトークンはまだ有効ではありません。このサーバーとCIの時計を確認してください。',
    life: 'IDトークンの有効期間が1日を超えています。',
    used: 'IDトークンはすでに使用されています。交換のたびに新しいトークンを取得してください。',
    none: '{isPlace, select, yes {{place}には、} other {}}{repository}のトークンを受け入れる信頼済みパブリッシャーがありません。',
    changed: '信頼済みパブリッシャーがちょうど変更されました。新しいIDトークンを取得してください。',
    ambiguous:
      '複数の信頼済みパブリッシャーに該当します。resourceにオーナーまたはアプリを指定してください（例：acme/ios/com.example.app）。',
  },
  refusals: {
    claim:
      'パブリッシャー「{name}」の{claim}は「{wanted}」ですが、トークンの値は{isNone, select, yes {ありません} other {「{found}」です}}。',
    event:
      'パブリッシャー「{name}」は、他者のコードをリポジトリの権限で実行するイベント{event}を拒否します。',
    runner: 'パブリッシャー「{name}」は、セルフホストランナーを拒否します。',
    pinned:
      'パブリッシャー「{name}」の{claim}は「{wanted}」に固定されていますが、トークンの値は{isNone, select, yes {ありません} other {「{found}」です}}。意図してリポジトリを作り直した場合は、固定されたIDをリセットしてください。',
  },
};
