import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'CIからアップロード',
  line: '{owner}へのアップロードは、1回のHTTPリクエストで完了します。アプリ、バージョン、署名は、パッケージから読み取られます。',
  systemsLabel: 'CIシステム',
  systems: {
    curl: 'curl',
    github: 'GitHub Actions',
    gitlab: 'GitLab',
    bitrise: 'Bitrise',
    fastlane: 'fastlane',
    gradle: 'Gradle',
    jenkins: 'Jenkins',
  },
  secretOf: {
    curl: '環境変数SLIPWAY_API_KEYにAPIキーを設定します。',
    github: 'SLIPWAY_API_KEYという名前のリポジトリシークレットを追加します。',
    gitlab: 'SLIPWAY_API_KEYという名前のマスクされたCI/CD変数を追加します。',
    bitrise: 'SLIPWAY_API_KEYという名前のシークレットをワークフローに追加します。',
    fastlane: 'fastlaneを実行する環境で、環境変数SLIPWAY_API_KEYを設定します。',
    gradle: 'Gradleを実行する環境で、環境変数SLIPWAY_API_KEYを設定します。',
    jenkins: 'IDがslipway-api-keyの「Secret text」認証情報を追加します。',
  },
  snippetLabel: '{system}のスニペット',
  createKey: 'キーを作成',
  keyName: '{owner}のCI',
  keyCreated: 'キーを作成しました',
  keyLine:
    'この所有者へのアップロードだけに、90日間使用できます。期限が切れる前にメールでお知らせします。再び表示されることはないため、今すぐコピーしてください。',
  keyLineOfApp:
    'このアプリへのアップロードだけが可能で、90日間有効です。期限切れの前にメールでお知らせします。今すぐコピーしてください。再表示はできません。',
  keyOfApp: 'ここで作成するキーでアップロードできるのは、{app}だけです。',
  iosTitle: 'iOS',
  ios: '.apkファイルの代わりに.ipaファイルのパスを指定します。ほかは同じです。',
  publishTitle: 'すぐに公開する',
  publish:
    'distribution_nameにより、アップロードのたびにページ「{page}」で公開されます。ページがない場合は作成されます。手動で公開する場合は省略してください。',
  more: 'すべてのフィールドと、そのまま使用できるツール',
};
