import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  titleOf: '#{revision}の依存関係',
  declared:
    'ビルドが宣言した{count, number}個のライブラリ{direct, plural, =0 {} other {（直接の依存は#個）}}。',
  declaredHelp: 'Android GradleプラグインがApp Bundleに書き込んだ一覧によるものです。',
  evidence: 'パッケージ内で{count, number}個のライブラリが見つかりました。',
  evidenceHelp:
    'このパッケージはライブラリを宣言していません。パッケージ内にファイルを残したライブラリだけを表示するため、ほかにも含まれている可能性があります。',
  none: 'ライブラリが見つかりません',
  noneLine:
    'このパッケージはライブラリを宣言しておらず、名前のわかるファイルもありません。Android Gradleプラグイン4.0以降でビルドしたApp Bundleは、ライブラリを宣言します。',
  incomplete:
    'このパッケージのライブラリの一覧に読み取れないものがあるため、一部が表示されていない可能性があります。',
  repeated: '複数のバージョンが記載されているライブラリ',
  repeatedLine: '通常、Gradleは最新のバージョンだけをパッケージに含めます。',
  more: '{count, plural, other {ほか#件}}',
  sbom: 'SBOMをダウンロード',
  sbomHint: 'CycloneDX 1.6、JSON',
  find: 'ライブラリを検索',
  findHint: '名前またはグループ',
  search: '検索',
  foundCount: '{count, number}個のライブラリ',
  noMatch: '「{query}」に一致するライブラリはありません',
  columns: { library: 'ライブラリ', version: 'バージョン', relation: '関係' },
  relation: { direct: '直接', transitive: '間接', unknown: '不明' },
  unknownVersion: '不明',
  neededBy: '依存元：{names}',
  neededByMore: '依存元：{names}、ほか{count, number}個',
  foundIn: '検出元：{path}',
  elsewhere: 'このライブラリを含むビルド',
  shownFirst: '最初の{count, number}個を表示しています。ほかのライブラリは検索してください。',
  compare: {
    title: '#{revision}からの変更',
    field: '比較するビルド#',
    button: '比較',
    same: 'ライブラリは同じです。',
    notAnalyzed: 'ビルド#{revision}は解析されていないため、ライブラリがわかりません。',
    missing: 'ビルド#{revision}はありません。',
    differentSources:
      '2つのビルドではライブラリの情報源が異なるため、実際には変わっていないものも表示される可能性があります。',
    added: '追加',
    removed: '削除',
    changed: 'バージョンの変更',
    downgrade: 'ダウングレード',
    becomes: '{from} → {to}',
  },
  conflict: {
    waiting: 'このビルドはまだ解析されていません。しばらくしてからもう一度お試しください。',
    failed: 'このビルドを解析できませんでした：{failure}',
  },
};
