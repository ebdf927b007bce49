import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'ポリシー',
  line: 'このワークスペースを利用するすべての人に適用される要件です。ウェブ、API、コマンドラインのいずれにも適用されます。',
  labels: {
    secondFactor: '2要素認証を必須にする',
    sessionHours: 'セッションの長さ',
    keyDays: 'APIキーの有効期間',
    networks: '許可するネットワーク',
    emailDomains: '許可するメールドメイン',
    pageAccess: '配布ページのアクセス',
    retentionDays: '最低保持期間',
    trustedPublishersOnly: 'ビルドのアップロードを信頼済みパブリッシャーに限定',
  },
  hints: {
    secondFactor: 'パスワードでサインインする人は、認証アプリかパスキーが必要です。',
    sessionHours:
      '時間単位で、1から{limit, number}まで。過ぎると、再度サインインが必要です。空欄の場合、制限はありません。',
    keyDays:
      '日数で、1から{limit, number}まで。古いキーは、再発行するまでここでは使えません。空欄の場合、制限はありません。',
    networks:
      '1行に1つのCIDRまたはIPアドレス、最大{limit}件。配布ページにも適用されます。空欄の場合、すべて許可します。',
    emailDomains:
      '1行に1つ、最大{limit}件。招待と、メンバーに適用されます。メンバーのアドレスは確認済みでなければなりません。空欄の場合、すべて許可します。',
    pageAccess: 'これより制限の緩いページは、メンバー限定になります。',
    retentionDays:
      '日数で、1から{limit, number}まで。これより新しいビルドは、手動でも保持ルールでも削除されません。空欄の場合、下限はありません。',
    trustedPublishersOnly: 'APIキーやブラウザーからのビルドは拒否されます。',
  },
  groups: {
    people: 'ユーザーとセッション',
    access: 'アクセス',
    builds: 'ビルドとページ',
  },
  floors: {
    unlisted: 'すべてのアクセス',
    passcode: '限定公開ページを禁止',
    members: 'メンバーとグループのみ',
  },
  floorHints: {
    unlisted: 'リンクを知っている人なら誰でも開けるページを許可します。',
    passcode: 'ページには、パスコード、またはメンバーかグループへの限定が必要です。',
    members: 'アプリにアクセスできる人だけがページを開けます。',
  },
  refusals: {
    secondFactor:
      'このワークスペースでは2要素認証が必要です。アカウントのセキュリティ設定で、認証アプリかパスキーを設定してください。',
    sessionHours:
      'このワークスペースでは{hours, plural, other {#時間}}ごとにサインインが必要です。サインアウトしてから、もう一度サインインしてください。',
    keyDays:
      'このAPIキーのシークレットは、ワークスペースの上限（{days, plural, other {#日}}）を過ぎています。キーを再発行するか、新しいキーを使ってください。',
    networks:
      'このワークスペースは、お使いのネットワークからは利用できません。オーナーが許可したネットワークから接続してください。',
    emailDomains:
      'このワークスペースを利用できるのは、{domains}の確認済みメールアドレスを持つ人だけです。アカウントのアドレスを確認または変更するか、ワークスペースのオーナーに相談してください。',
    pageAccess:
      'このアクセス設定はワークスペースで許可されていません。より制限の厳しい設定を選んでください。',
    retentionDays:
      'ワークスペースでは、すべてのビルドを少なくとも{days, plural, other {#日間}}保持します。この期間が過ぎてから削除してください。',
    trustedPublishersOnly:
      'ワークスペースは、信頼済みパブリッシャーからのビルドだけを受け付けます。登録されたCIジョブからアップロードしてください。',
  },
  advice: 'ポリシーはワークスペースのオーナーが設定しています。詳しくはオーナーに確認してください。',
  actions: {
    secondFactor: '2要素認証を設定',
    sessionHours: 'サインアウト',
  },
  limits: {
    keyExpiry:
      'このワークスペースのキーの有効期間は、最長{days, plural, other {#日}}です。より早い期限を選んでください。',
    pageAccess: 'ワークスペースのポリシーで許可されていません。',
    email: 'このワークスペースに参加できるのは、{domains}の確認済みメールアドレスを持つ人だけです。',
  },
  lockedOut: 'この変更を保存すると、あなた自身がすぐにアクセスできなくなります。{reason}',
  errors: {
    amount: '1から{limit, number}までの整数を入力するか、空欄にしてください。',
    choice: '選択肢から選んでください。',
    entry: '「{entry}」はここでは使えません。',
    many: '項目が多すぎます。上限は{limit, number}件です。',
  },
  review: '変更を確認',
  reviewTitle: 'ポリシーの確認',
  reviewLine: 'まだ何も変更されていません。次のものが新しいポリシーに違反しています。',
  noViolations: 'これらのポリシーに違反するものはありません。',
  violations: {
    secondFactor: '2要素認証を設定していない人は、設定するまでアクセスできなくなります。',
    sessionHours: '次の人は、もう一度サインインする必要があります。',
    keyDays: '次のキーは、再発行するまでここでは使えなくなります。',
    networks: '次の人とキーは、最後に利用したときのネットワークが許可されていません。',
    emailDomains: '次の人はアクセスできなくなり、次の招待は承諾できなくなります。',
    pageAccess: '次のページはメンバー限定になります。',
    retentionDays: '次のアプリの保持ルールは、このポリシーで保持されるビルドを削除する設定です。',
    trustedPublishersOnly: '次のアプリの最新のビルドは、信頼済みパブリッシャーからのものではありません。',
  },
  counts: '{count, plural, =0 {違反なし} other {違反#件}}',
  more: '最初の{limit, number}件を表示しています。ほかに{more, number}件あります。',
  kinds: {
    person: 'ユーザー',
    invitation: '招待',
    key: 'APIキー',
    page: '配布ページ',
    app: 'アプリ',
  },
  paging: '違反の一覧のページ',
  back: '編集',
  save: 'ポリシーを保存',
  saved: 'ポリシーを保存しました。すぐに適用されます。',
};
