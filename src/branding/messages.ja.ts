import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  title: 'ブランディング',
  installationLine:
    'すべてのページとメールに表示されます。ワークスペースは、そのプロジェクト用に変更できます。',
  workspaceLine:
    'このワークスペースのプロジェクトのページと、そのビルドのメールに表示されます。空欄の項目には、サーバー全体の設定が使用されます。',
  name: '名前',
  nameHint: 'ヘッダー、ページのタイトル、メールで「Slipway」の代わりに表示されます。',
  accent: 'アクセントカラー',
  accentHint: '例：#7a1fa2。リンク、ボタン、グラフに使用されます。空欄の場合、標準の色が使用されます。',
  accentPick: 'アクセントカラーを選択',
  support: 'サポートの連絡先',
  supportHint: 'ページとメールの下部に表示されるメールアドレスまたはhttps://のリンク。',
  preview: 'プレビュー',
  save: '保存',
  colors: 'アクセントカラーのプレビュー',
  light: 'ライト',
  dark: 'ダーク',
  sample: 'インストール',
  unchanged: '{scheme}: {color}',
  adjusted: '{scheme}: コントラストのため、{from}を{to}に調整しました。',
  confirm: '調整した色を使用するにはもう一度保存し、使用しない場合は別の色を選択してください。',
  logo: 'ロゴ',
  logoHint: 'PNG、JPEG、WebP。1 MiB、一辺4,096ピクセルまで。ヘッダーに28ピクセルの高さで表示されます。',
  logoFile: '画像ファイル',
  logoNow: '現在のロゴ',
  logoUpload: 'ロゴをアップロード',
  logoRemove: 'ロゴを削除',
  logoErrors: {
    missing: 'ファイルを選択してください。',
    several: 'フォームに複数のファイルが含まれています。ロゴを1つアップロードしてください。',
    format: 'PNG、JPEG、WebPの画像ではありません。いずれかの形式に変換してください。',
    bytes: 'ファイルが大きすぎます。上限は1 MiBです。',
    side: '画像が大きすぎます。上限は一辺4,096ピクセルです。',
    animated: 'アニメーション画像です。静止画像をアップロードしてください。',
    damaged: '画像が破損しているか、不完全です。もう一度書き出してください。',
    limits: '画像の処理に時間またはメモリがかかりすぎました。小さい画像をアップロードしてください。',
  },
  errors: {
    name: '名前が長すぎます。上限は60文字です。',
    nameCharacters: '名前に制御文字や見えない文字が含まれています。削除してください。',
    accent: '色は、#7a1fa2のように、#と6桁の16進数で入力してください。',
    support: 'メールアドレス、またはhttps://で始まるアドレスを254文字以内で入力してください。',
  },
  done: {
    saved: 'ブランディングを保存しました。',
    'logo-saved': 'ロゴを保存しました。',
    'logo-removed': 'ロゴを削除しました。',
  },
};
