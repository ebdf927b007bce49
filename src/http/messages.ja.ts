import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  multipart: {
    parts: 'フォームのパートは{limit}個までです。',
    malformed: 'マルチパートの本文の形式が正しくないか、途中で終わっています。',
    empty: 'マルチパートの本文にパートがありません。バウンダリーを確認してください。',
    headers: 'フォームのパートのヘッダーが正しくありません。',
    type: '本文は、バウンダリーを指定したmultipart/form-dataである必要があります。',
    nameMissing: 'フォームのパートに名前がありません。',
    nameLong: 'フォームのパートの名前が長すぎます。',
    bodyLong: 'リクエストの本文が大きすぎます。',
  },
  form: {
    repeated: 'フォームに{name}が複数含まれています。',
    text: 'フォームの{name}はテキストである必要があります。',
    nul: 'フォームの{name}にNUL文字が含まれています。',
    surrogate: 'フォームの{name}にサロゲートペアの片方だけが含まれています。',
    undecodable:
      'フォームの{name}は{charset}のテキストではありません。UTF-8で送信するか、文字コードを指定してください。',
    charset: 'フォームの{name}の文字コードが不明です（{charset}）。',
    charsetLate: 'フォームの_charset_は、その文字コードの項目より前に送信してください。',
    transferEncoding:
      'フォームの{name}のContent-Transfer-Encodingが{encoding}です。この方式には対応していません。エンコードせずに送信してください。',
    field: {
      empty: 'この項目を入力してください。',
      invalid: 'この値は使用できません。',
      long: '{limit, number}文字以内で入力してください。',
    },
    missing: 'フォームに{name}がありません。',
    long: 'フォームが大きすぎます。上限は{limit}です。',
    malformed: 'リクエストの形式が正しくありません。',
  },
  body: {
    long: '本文が{limit}バイトを超えています。',
    undecodable: '本文が正しいUTF-8ではありません。',
    compressed: '本文は圧縮せず、Content-Encoding: {coding}なしで送信してください。',
    cut: '本文をすべて受信する前に接続が切れました。',
    silent: '{seconds}秒間データが送信されませんでした。',
    slow: 'アップロードが遅すぎます。{seconds}秒間の平均で毎秒{rate}バイト以上を送信してください。',
  },
  head: {
    hosts: 'リクエストにHostヘッダーが複数あります。',
    noHost: 'リクエストにHostヘッダーがありません。',
    host: 'Hostヘッダーがホスト名ではありません。',
    expectation: 'Expectヘッダーで使用できるのは100-continueだけです。',
    length: '本文のあるリクエストには、Content-Lengthまたはチャンク転送が必要です。',
    large: 'リクエストヘッダーが大きすぎます。',
    late: 'リクエストがタイムアウトしました。',
    invalid: 'リクエストがHTTPの形式に従っていません。',
    range: 'ファイルのサイズは{size}バイトです。',
    method: 'このアドレスで使用できるのは{methods}だけです。',
  },
  busy: 'サーバーが混み合っています。数秒後にもう一度お試しください。',
  noUploader: 'アップローダーがビルドされていません。npm run buildを実行してください。',
  address: 'アドレスが正しくエンコードされていません。',
  stopping: 'このノードは停止処理中です。',
};
