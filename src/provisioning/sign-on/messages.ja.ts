import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'シングルサインオン',
  line: 'メンバーは、SAML 2.0に対応したIDプロバイダーでサインインします。',
  noAddress:
    'ワークスペースにIDプロバイダーを設定するには、このサーバーにSLIPWAY_URLが必要です。管理者に依頼してください。',
  addresses: {
    title: 'IDプロバイダーに登録する値',
    line: 'これらの値をプロバイダーに入力するか、メタデータを読み込ませてください。',
    metadata: 'メタデータとエンティティID',
    acs: 'アサーションコンシューマーサービス（ACS）',
    logout: 'シングルログアウト',
    signIn: 'メンバー用のサインインURL',
  },
  provider: {
    title: 'IDプロバイダー',
    line: 'このプロバイダーでは、プロバイダーが作成したアカウント、ワークスペースのディレクトリーが管理するアカウント、ワークスペースのメールドメインの確認済みアドレスを持つアカウントにサインインできます。それ以外の人は、先にここでサインインし、一度だけアカウントを連携します。',
    name: '名前',
    nameHint: '「…で続ける」ボタンに表示されます。',
    url: 'メタデータのURL',
    urlHint:
      '1時間ごとに取得し直します。プロバイダーに接続できない間は、最後に取得した有効な内容を使います。',
    metadata: 'メタデータ（XML）',
    metadataHint: 'URLの代わりに貼り付けます。プロバイダーが証明書を更新したら、貼り付け直してください。',
    attributes: '属性',
    attributesHint:
      'プロバイダーの属性名が異なる場合だけ入力します。例：email=mail,name=uid,subject=employeeNumber',
    save: '保存',
    saved: '保存しました。一度サインインして、動作を確認してください。',
    entity: 'エンティティID',
    read: 'メタデータの取得：<time></time>',
    problem: '前回の取得に失敗したため、以前の内容を使っています：{problem}',
    remove: 'プロバイダーを削除',
    removeLine: '誰も{provider}でサインインできなくなります。アカウントと連携はそのまま残ります。',
    removed: 'プロバイダーを削除しました。',
  },
  requirement: {
    title: 'シングルサインオンの必須化',
    line: 'メンバーは、プロバイダーでサインインしたセッションでのみこのワークスペースを使えます。以前に作成された個人のAPIキーは、有効期限まで使えます。サーバーの管理者は対象外です。',
    on: '<time></time>から、メンバーは{provider}でサインインする必要があります。',
    off: 'メンバーは、サインイン方法にかかわらずワークスペースを使えます。',
    check: '動作を確認するため、先にこのセッションで{provider}にサインインしてください。',
    signIn: '{provider}でサインイン',
    turnOn: 'シングルサインオンを必須にする',
    turnOnLine:
      '{provider}でサインインしていないメンバーのセッションでは、このワークスペースを使えなくなります。',
    turnOff: 'シングルサインオンの必須を解除',
    turnOffLine: 'メンバーは、サインイン方法にかかわらずワークスペースを使えるようになります。',
    turnedOn: 'シングルサインオンを必須にしました。',
    turnedOff: 'シングルサインオンの必須を解除しました。',
    factor: 'プロバイダーに障害が起きても必須を解除できるように、2要素認証を設定してください。',
    recovery:
      '{provider}でサインインしていません。2要素認証を設定したオーナーは、ここで必須を解除することだけができます。',
  },
  errors: {
    oneSource: 'メタデータのURLとメタデータのどちらか一方だけを入力してください',
    metadata: 'メタデータを使用できません：{reason}',
    attributes: '「email=mail,name=uid,subject=employeeNumber」のように入力してください',
    required: '現在のプロバイダーでのサインインが必須です。先にシングルサインオンの必須を解除してください',
    signInFirst:
      '先にこのセッションで{provider}にサインインするか、サインイン済みのセッションで作成したキーを使ってください',
    none: 'このワークスペースにはIDプロバイダーがありません',
  },
};
