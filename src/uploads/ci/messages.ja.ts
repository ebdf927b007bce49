import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'CIからアップロード',
  line: 'アプリをビルドするパイプラインから、{owner}にアップロードできます。アプリ、バージョン、署名は、パッケージから読み取られます。',
  systemsLabel: 'CIシステム',
  systems: {
    github: 'GitHub Actions',
    gitlab: 'GitLab',
    bitrise: 'Bitrise',
    circleci: 'CircleCI',
    bitbucket: 'Bitbucket',
    buildkite: 'Buildkite',
    codemagic: 'Codemagic',
    xcode: 'Xcode Cloud',
    azure: 'Azure Pipelines',
    jenkins: 'Jenkins',
    fastlane: 'fastlane',
    gradle: 'Gradle',
    curl: 'curl',
  },

  trustTitle: 'リポジトリを信頼する',
  trustLine:
    'パイプラインから、保存済みのキーなしで{owner}にアップロードできるようになります。ジョブのIDトークンが、15分間有効なキーと交換されます。',
  trustLineOfApp:
    'パイプラインから、保存済みのキーなしで{app}をアップロードできるようになります。ジョブのIDトークンが、15分間有効なキーと交換されます。',
  trusted: '信頼済み',
  trustFields: {
    github: {
      repository: {
        label: 'リポジトリ',
        hint: 'パス、またはGitHub Enterprise Serverにある場合はURLを入力します。社内ネットワークのサーバーは、管理者がSLIPWAY_HOOK_NETWORKSに追加します。',
      },
    },
    gitlab: {
      repository: {
        label: 'プロジェクト',
        hint: 'パス、または自社のGitLabにある場合はURLを入力します。社内ネットワークのサーバーは、管理者がSLIPWAY_HOOK_NETWORKSに追加します。',
      },
    },
    buildkite: {
      repository: { label: 'パイプライン', hint: '組織とパイプライン、またはURLを入力します。' },
    },
    circleci: {
      organization: { label: '組織ID', hint: 'CircleCIの「Organization Settings」→「Overview」にあります。' },
      project: { label: 'プロジェクトID', hint: 'CircleCIの「Project Settings」→「Overview」にあります。' },
    },
    bitbucket: {
      workspace: { label: 'ワークスペース', hint: 'URLの最初の部分です：bitbucket.org/WORKSPACE/…' },
      repository: {
        label: 'リポジトリのUUID',
        hint: 'Bitbucketの「Repository settings」→「OpenID Connect」にあります。',
      },
    },
  },
  wholePath: 'acme/tideのような完全なパス、またはURLを入力してください。',
  repositoryExample: 'acme/tide',
  trust: 'リポジトリを信頼',
  askOwner: 'リポジトリを信頼するようオーナーに依頼するか、APIキーを使用してください。',
  useKey: '代わりにAPIキーを使用',
  allPublishers: '信頼済みパブリッシャーの制限・削除',
  useToken: '保存済みのキーなしでアップロード',
  noAddress:
    '管理者がSLIPWAY_URLにこのサーバーのアドレスを設定すると、キーの代わりにIDトークンを使用できます。',
  keyBecause: {
    bitrise:
      'BitriseのIDトークンが示すのはリポジトリで、公開リポジトリはBitriseの誰でもビルドできます。使用するには、アプリを示すルールを付けた信頼済みパブリッシャーを設定で追加してください。',
    codemagic: 'Codemagicは、ほかのサービス用のIDトークンを発行しません。',
    xcode: 'Xcode Cloudは、IDトークンを発行しません。',
    azure: 'Azure Pipelinesは、サービス接続用のIDトークンだけを発行します。',
    jenkins:
      'Jenkinsは、プラグインがある場合だけIDトークンを発行します。使用するには、設定の信頼済みパブリッシャーに、ほかの発行者として追加してください。',
    fastlane:
      'キーを保存せずに使用できるCIシステムでは、キーは不要です。アップローダーがジョブのIDトークンを使用します。',
    gradle:
      'キーを保存せずに使用できるCIシステムでは、キーは不要です。アップローダーがジョブのIDトークンを使用します。',
    curl: 'IDトークンを交換できるのは、アップローダーだけです。',
  },
  keyTitle: 'キーを作成する',
  keyOfOwner: '{owner}へのアップロードだけに使用できるキーです。',
  keyOfApp: '{app}へのアップロードだけに使用できるキーです。',
  secretOf: {
    github: 'SLIPWAY_API_KEYという名前のリポジトリシークレットとして保存します。',
    gitlab: 'SLIPWAY_API_KEYという名前のマスクされたCI/CD変数として保存します。',
    bitrise: 'SLIPWAY_API_KEYという名前のシークレットとしてアプリに保存します。',
    circleci: 'SLIPWAY_API_KEYという名前の環境変数として、プロジェクトまたはコンテキストに保存します。',
    bitbucket: 'SLIPWAY_API_KEYという名前の保護されたリポジトリ変数として保存します。',
    buildkite: 'エージェントのシークレットから、ステップの環境変数SLIPWAY_API_KEYに設定します。',
    codemagic: 'SLIPWAY_API_KEYという名前のシークレット変数として、ワークフローが使うグループに保存します。',
    xcode: 'SLIPWAY_API_KEYという名前のシークレット環境変数として、ワークフローに保存します。',
    azure: 'SLIPWAY_API_KEYという名前のシークレット変数として、パイプラインに保存します。',
    jenkins: 'IDがslipway-api-keyの「Secret text」認証情報として保存します。',
    fastlane: 'fastlaneを実行する環境で、環境変数SLIPWAY_API_KEYに設定します。',
    gradle: 'Gradleを実行する環境で、環境変数SLIPWAY_API_KEYに設定します。',
    curl: '環境変数SLIPWAY_API_KEYに設定します。',
  },
  createKey: 'キーを作成',
  keyName: '{owner}のCI',
  keyCreated: 'キーを作成しました',
  keyLine:
    'この所有者へのアップロードだけに、90日間使用できます。期限が切れる前にメールでお知らせします。再び表示されることはないため、今すぐコピーしてください。',
  keyLineOfApp:
    'このアプリへのアップロードだけに、90日間使用できます。期限が切れる前にメールでお知らせします。再び表示されることはないため、今すぐコピーしてください。',

  snippetTitle: 'パイプラインに貼り付ける',
  placeOf: {
    github:
      '.github/workflowsのワークフローで、ビルドするジョブに、権限と、ビルドの後のステップを追加します。',
    gitlab: '.gitlab-ci.ymlで、パッケージをアーティファクトとして残すジョブの後に追加します。',
    bitrise: 'bitrise.ymlで、ビルドの後のステップとして追加します。',
    circleci: '.circleci/config.ymlで、ビルドの後のステップとして追加します。',
    bitbucket: 'bitbucket-pipelines.ymlで、パッケージをアーティファクトとして残すステップの後に追加します。',
    buildkite:
      'pipeline.ymlで、パッケージをビルドするコマンドの後など、パッケージがあるステップとして追加します。',
    codemagic: 'codemagic.yamlのワークフローに追加します。',
    xcode:
      'Xcodeプロジェクトと同じ場所に置くスクリプトで、各アクションの後に実行されます。実行権限を付けてください。',
    azure: 'azure-pipelines.ymlで、ビルドの後のステップとして追加します。',
    jenkins: 'Jenkinsfileで、ビルドの後のステージとして追加します。',
    fastlane: 'Fastfileのレーンです。アプリをビルドするレーンの後に呼び出します。',
    gradle: 'app/build.gradle.ktsのタスクです。',
    curl: 'どのシェルやシステムでも使えるコマンドです。',
  },
  snippetLabel: '{system}のスニペット',
  ios: 'iOSの場合は、.ipaファイルのパスを指定します。ほかは同じです。',
  publish:
    'アップロードのたびにページ「{page}」で公開されます。ページがない場合は作成されます。ブランチ名を指定するとブランチごとのページになり、ページを指定しなければ手動で公開できます。',
  node: 'アップローダーは、このサーバーからダウンロードされます。Node.js 20以降が必要です。',
  digest: 'サーバーが更新されるまで、SHA-256は<code>{digest}</code>です。',

  uploadTitle: '最初のビルドをアップロードする',
  waiting: '最初のアップロードを待っています',
  waitingNext: '次のアップロードを待っています',
  waitingLine: 'パイプラインを実行してください。ビルドが届くと、すぐにこのページに表示されます。',
  lastLine: '前回のアップロードは<link>{build}</link>（<time></time>）です。',
  checkAgain: 'もう一度確認',
  received: 'アップロードできました',
  receivedLine: '<link>{build}</link>が<time></time>にアップロードされました。',
  more: 'すべてのフィールドと、そのまま使用できるツール',
};
