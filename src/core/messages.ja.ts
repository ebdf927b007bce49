import type { Translation } from './language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  notFound: 'このアドレスには何もありません。',
  unauthenticated: 'サインインしていません。',
  internal: '内部エラーが発生しました。',
  formExpired: 'フォームの有効期限が切れました。ページを再読み込みしてください。',
  names: {
    invalid: {
      user: 'ユーザー名は、英字、数字、-、_を1～{limit}文字で入力し、英字または数字で始めてください。',
      project: 'プロジェクト名は、英字、数字、-、_を1～{limit}文字で入力し、英字または数字で始めてください。',
      workspace:
        'ワークスペース名は、英字、数字、-、_を1～{limit}文字で入力し、英字または数字で始めてください。',
    },
    hidden: '{name}に見えない文字（{character}）が含まれています。取り除いて送信してください。',
    reserved: '{name}という名前は使用できません。',
  },
};
