import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  titleOf: '#{revision}のシンボル',
  line: 'クラッシュレポートのアドレスや短縮名を、ソースコードの名前に戻すためのファイルです。ビルドとともに削除されます。',
  hidden: 'シンボルファイルは、このアプリを管理するメンバーに表示されます。',
  none: 'シンボルファイルはまだありません',
  noneLine: 'iOSアプリのdSYM、またはAndroidアプリのマッピングとネイティブシンボルをアップロードできます。',
  columns: {
    file: 'ファイル',
    kind: '種類',
    match: 'このビルド',
    size: 'サイズ',
    added: '追加',
    actions: '操作',
  },
  kinds: {
    dsym: 'dSYM',
    mapping: 'マッピング（R8またはProGuard）',
    native: 'ネイティブシンボル',
  },
  matches: { yes: '一致', no: '不一致', unknown: '不明' },
  matchHelp: {
    yes: 'ファイル内のIDがビルドにも含まれています。',
    no: 'ファイル内のIDはいずれもビルドに含まれていません。',
    unknown: 'ファイルまたはビルドにIDがないか、ビルドがまだ解析されていません。',
  },
  inBundle: 'App Bundle内',
  binaries: '{count, plural, other {#個のバイナリ}}',
  noId: 'IDなし',
  addedBy: '<time></time>、{user}',
  delete: '削除',
  deleteLine: 'ファイルを完全に削除します。',
  deleteOf: '{file}を削除',
  form: {
    title: 'シンボルをアップロード',
    file: 'シンボルファイル',
    hint: 'dSYMのzipファイル、mapping.txt、またはnative-debug-symbols.zip（{limit}まで）。',
    button: 'アップロード',
  },
  done: { added: 'シンボルをアップロードしました。', deleted: 'シンボルを削除しました。' },
  errors: {
    missing: 'ファイルを選択してください。',
    several: 'ファイルを1つ選択してください。',
    tooLarge: 'シンボルファイルは{limit}までです。',
    tooMany: 'シンボルファイルはビルドごとに{limit}個までです。先に1つ削除してください。',
    unrecognized:
      'ファイルにシンボルがありません。dSYMまたはネイティブライブラリを含むzipファイル、あるいはR8またはProGuardのマッピングを指定してください。',
    unreadable: 'シンボルファイルを読み取れません: {reason}',
    gone: 'ビルドは削除されました。',
  },
};
