import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'ターミナルからのサインインを承認',
  line: 'ターミナルに表示されているコードを入力してください。',
  code: 'コード',
  codeHint: 'BCDF-GHJKのような8文字です。',
  continue: '続ける',
  unknown: 'コードが正しくないか、有効期限が切れています。ターミナルでもう一度やり直してください。',
  confirmTitle: '{client}に、このアカウントでのサインインを許可しますか？',
  confirmLine:
    'このサインインをご自身で開始し、ターミナルに同じコードが表示されている場合にのみ続けてください。',
  confirmOpenedLine: 'このサインインをこのコンピューターでご自身が開始した場合にのみ続けてください。',
  requested: 'リクエスト',
  requestedFrom: '<time></time>、<address>{network}</address>から',
  scopes: '権限',
  days: 'サインインの期間',
  dayChoices: { 7: '7日間', 30: '30日間', 90: '90日間', 365: '1年間' },
  approve: 'サインイン',
  deny: '拒否',
  approved: 'サインインしました。このページを閉じて、ターミナルに戻ってください。',
  denied: 'サインインを拒否しました。',
  manageKeys: 'APIキーの一覧に表示され、そこで無効化できます。',
  keysLink: 'APIキー',
  openTitle: 'ターミナルに戻る',
  openLine:
    'サインインしました。ターミナルが続行しない場合は、ターミナルを実行しているコンピューターでこのリンクを開いてください。',
  open: '続ける',
};
