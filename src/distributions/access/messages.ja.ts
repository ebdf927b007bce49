import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  inactive: {
    title: 'このページは公開を終了しています',
    line: '現在、このページからはインストールできません。リンクの送り主にお問い合わせください。',
  },
  expired: {
    title: 'このページの公開期限が過ぎています',
    line: 'このページは期間限定で公開されていました。リンクの送り主に新しいリンクを依頼してください。',
  },
  network: {
    title: 'このネットワークでは利用できません',
    line: 'このページは特定のネットワークでのみ利用できます。会社のネットワークまたはVPNに接続してから、ページを再読み込みしてください。',
  },
  passcode: {
    title: 'パスコードを入力してください',
    line: 'パスコードは、リンクの送り主にお問い合わせください。',
    label: 'パスコード',
    submit: '続ける',
    member: 'アプリへのアクセス権をお持ちの方は、パスコードは不要です。',
    wrong: 'パスコードが正しくありません。',
  },
  openApp: 'アプリを開く',
  manage: 'ページの設定',
  refused: {
    closed: 'このページは公開を終了しています。',
    network: 'このページはお使いのネットワークでは利用できません。',
    passcode: 'このページを開くにはパスコードが必要です。',
    linkExpired: 'このリンクは期限切れです。ページを再読み込みしてください。',
    withdrawn: 'このビルドは公開を停止しています。',
    installLimit: 'このページのインストール数が上限に達しました。',
  },
};
