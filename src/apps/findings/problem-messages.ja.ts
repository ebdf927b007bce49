import type { Translation } from '../../core/language/catalog.ts';
import type { problemMessages } from '../../packages/messages/problem-messages.ts';

export const problems: Translation<typeof problemMessages> = {
  'bundle-unsigned': 'これはAndroid App Bundleです。署名されるのは、ここから生成されるAPKです。',

  'entry-changed': '署名後に{name}が変更されました。',
  'entry-added': '署名後に{name}が追加されました。',
  'entry-missing': '署名の対象である{name}がありません。',
  'v2-required':
    'パッケージのターゲットはAndroid API {target}ですが、JAR署名（v1）しかありません。Android 11以降ではv2以降の署名が必要です。apksignerで署名し直してください。',
  'v3-missing': 'v3.1署名がありますが、以前のプラットフォームに必要なv3署名がありません。',
  'verity-not-aligned':
    '{scheme}署名はfs-verity用ですが、APK署名ブロックが4096バイト境界に揃えられていません。',
  'content-changed': '署名後にパッケージが変更されました。内容が{scheme}署名と一致しません。',
  'different-keys': 'JAR署名（v1）とv2署名の鍵が異なります。',
  'several-older-signers': 'v3署名の署名者は1人ですが、以前の方式の署名には複数の署名者がいます。',
  'several-v3-signers': 'v3の署名者が複数いますが、それらをつなぐローテーション履歴がありません。',
  'other-origin': 'v3署名の鍵が以前の方式の署名と異なり、ローテーション履歴が以前の鍵から始まっていません。',
  'scheme-attribute-damaged': 'v2の署名者{number}の、ほかの方式についての属性が破損しています。',
  'v3-removed': 'v3でも署名されていましたが、その署名が削除されています。',
  'signers-overlap': '{scheme}の署名者のAndroidバージョンが重複しているか、途切れています。',
  'signers-limited': '{scheme}の署名者は、Android API {first}から{last}まで専用です。',
  'rotation-attribute-damaged': 'v3の署名者のローテーション属性が破損しています。',
  'v31-removed': 'Android API {sdk}以降用に別の鍵で署名されていましたが、そのv3.1署名が削除されています。',
  'rotation-disagrees':
    'v3の署名者は鍵のローテーションをAndroid API {sdk}と示していますが、v3.1の署名者は{start}から始まります。',
  'histories-inconsistent': '{scheme}の署名者のローテーション履歴が一致しません。',
  'signer-unsupported': '{scheme}の署名者{number}に、Android API {sdk}が対応する署名がありません。',
  'signer-does-not-verify':
    '{scheme}の署名者{number}の署名（{algorithm}）を検証できません。パッケージに署名し直してください。',
  'signer-without-certificate': '{scheme}の署名者{number}に証明書がありません。',
  'signer-of-other-key': '{scheme}の署名者{number}の証明書が、署名した鍵のものではありません。',
  'signer-certificate-damaged': '{scheme}の署名者{number}の証明書が破損しています（{reason}）。',
  'signer-algorithm-removed':
    '{scheme}の署名者{number}のダイジェストと署名のアルゴリズムが異なります。署名後に1つ削除されています。',
  'signer-range-invalid': '{scheme}の署名者{number}のAndroidバージョンの範囲が正しくありません。',
  'signer-range-changed': '署名後に{scheme}の署名者{number}のAndroidバージョンの範囲が変更されました。',
  'several-histories': '{scheme}の署名者{number}に複数のローテーション履歴があります。',
  'history-damaged': '{scheme}の署名者{number}のローテーション履歴が破損しています（{reason}）。',
  'history-unsigned':
    '{scheme}の署名者{number}のローテーション履歴の{certificate}番目の証明書が、1つ前の証明書で署名されていません。',
  'history-certificate-twice':
    '{scheme}の署名者{number}のローテーション履歴に、同じ証明書が2回含まれています。',
  'history-of-other-signer':
    '{scheme}の署名者{number}のローテーション履歴が、その署名者の証明書で終わっていません。',

  'jar-entry-twice': 'パッケージに{name}が2つあるため、Androidで拒否されます。',
  'jar-signature-missing': 'パッケージにJAR署名（v1）がありません。',
  'jar-signatures-malformed': '.SFファイルの形式が正しくないため、AndroidはどのJAR署名も受け入れません。',
  'jar-signature-does-not-verify': 'JAR署名{name}を、その.SFファイルに対して検証できません。',
  'jar-signature-unusable': 'JAR署名{name}を使用できません（{reason}）。',
  'signature-unreadable': '署名を読み取れませんでした（{reason}）。',
  'jar-signature-unreadable': 'JAR署名を読み取れません（{reason}）。',
  'jar-signature-of-nothing': 'JAR署名は、パッケージのどのファイルも対象にしていません。',
  'jar-file-unreadable': '{name}を読み取れません（{reason}）。',
  'jar-entry-added': '署名後に{name}が追加されました。META-INF/MANIFEST.MFに記載されていません。',
  'jar-entry-removed': '署名後に{name}が削除されました。META-INF/MANIFEST.MFには記載されています。',
  'jar-entry-unsigned': '{name}は、どのJAR署名者にも署名されていません。',
  'jar-entry-of-other-signers': '{name}のJAR署名者が、それより前のファイルと異なります。',
  'jar-entry-not-comparable': '{name}を署名と照合できません（{reason}）。',
  'jar-manifest-without-digest':
    'META-INF/MANIFEST.MFに、Android API {sdk}が対応する{name}のダイジェストがありません。',
  'jar-manifest-nameless-section': 'META-INF/MANIFEST.MFに、名前のないセクションがあります。',
  'jar-manifest-section-twice': 'META-INF/MANIFEST.MFに{name}が2回記載されています。',
  'jar-manifest-changed': '{file}の署名後に、META-INF/MANIFEST.MFのメインセクションが変更されました。',
  'jar-manifest-entry-changed': '{file}の署名後に、META-INF/MANIFEST.MFの{name}の項目が変更されました。',
  'jar-file-without-digest': '{file}に、Android API {sdk}が対応する{name}のダイジェストがありません。',
  'jar-scheme-removed':
    '{file}によるとパッケージはv{scheme}でも署名されていますが、その署名が削除されています。',

  'app-without-executable': 'アプリに実行ファイルが含まれていません。',
  'app-executable-not-mach-o': '実行ファイルがMach-Oファイルではありません。',
  'code-not-signed': '{cpu}のコードが署名されていません。',
  'code-directory-missing': '{cpu}のコードの署名にコードディレクトリがありません。',
  'code-signature-unreadable': '{cpu}のコードの署名を読み取れません（{reason}）。',
  'code-signed-ad-hoc': 'コードが証明書のないアドホック署名です。',
  'code-hash-unknown': '{cpu}のコードのコードディレクトリが、不明なハッシュを使用しています。',
  'code-not-covered': '{cpu}のコード全体が署名の対象になっていません。',
  'code-directory-not-covered': '{digest}のコードディレクトリが署名の対象になっていません。',
  'code-pages-changed': '署名後に、{cpu}のコードの{total}ページ中{count}ページが変更されました。',
  'seal-missing': '{name}が署名の対象になっていません。',
  'signature-invalid': '署名に問題があります（{problem}）。',
  'signature-attributes-unreadable': '署名の属性を読み取れません（{reason}）。',
  'sealed-list-unreadable': '署名対象のファイルの一覧を読み取れません（{reason}）。',
  'sealed-file-not-comparable': '{name}を署名と照合できません（{reason}）。',
};
