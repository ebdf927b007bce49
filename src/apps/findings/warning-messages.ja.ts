import type { Translation } from '../../core/language/catalog.ts';
import type { warningMessages } from '../../packages/messages/warning-messages.ts';

export const warnings: Translation<typeof warningMessages> = {
  'zip-entry-twice': 'zipアーカイブに{name}が2つ含まれているため、Androidにインストールできません。',
  'zip-entry-name':
    'zipアーカイブのファイル名{name}がUTF-8でないか、NUL文字を含んでいるため、Androidにインストールできません。',
  'resources-compressed':
    'resources.arscが圧縮されています。ターゲットSDKが{target}以上の場合、Android 11以降にはインストールできません。',
  'resources-not-aligned':
    'resources.arscが、zipalignによる{bytes}バイト境界に揃えられていません。ターゲットSDKが{target}以上の場合、Android 11以降にはインストールできません。',
  'resources-damaged':
    'resources.arscが破損しているため、ラベルとアイコンを読み取れません。Androidにインストールできません。',
  'native-code-32-bit':
    'ネイティブコードは32ビット版のみです（{abis}）。Pixel 7以降など、64ビットのコードだけを実行する端末にはインストールできません。',
  'native-code-not-for-phones':
    'ネイティブコードがスマートフォンのCPUに対応していません（{abis}）。スマートフォンにはインストールできません。',
  'library-compressed':
    'マニフェストではextractNativeLibs="false"ですが、{name}が圧縮されています。Androidにインストールできません。',
  'library-not-aligned':
    'マニフェストではextractNativeLibs="false"ですが、{name}が{bytes}バイト境界に揃えられていません。Androidにインストールできません。',
  'test-only':
    'パッケージがtestOnlyに設定されています。パソコンからadb install -tでのみインストールできます。',
  'tests-of-app': 'パッケージは{name}のテストです。そのアプリがないと使用できません。',
  'splits-required': '分割されたパッケージが必要です。このパッケージだけではインストールできません。',
  'several-applications': 'マニフェストに複数のapplication要素があります。Androidは最初のものを使用します。',
  'several-uses-sdks': 'マニフェストに複数のuses-sdk要素があります。Androidは最後のものを使用します。',
  'no-application': 'マニフェストにapplication要素がないため、Androidにインストールできません。',
  'target-too-old': 'ターゲットSDKが{target}未満のため、Android {release}以降にはインストールできません。',
  'preview-required':
    'このパッケージにはAndroidのプレビュー版（{codename}）が必要です。正式版の端末にはインストールできません。',
  'system-user':
    'このパッケージはシステムユーザー{user}を共有します。端末の製造元が署名していない場合、インストールできません。',
  'not-signed': 'パッケージが署名されていません。署名のないパッケージはAndroidにインストールできません。',
  'scheme-damaged': '{scheme}署名が破損しています（{reason}）。',
  'rotation-history-damaged': '{scheme}署名のローテーション履歴が破損しています（{reason}）。',
  'jar-signature-damaged': 'JAR署名{name}が破損しています（{reason}）。',
  'too-many-jar-signers': 'JAR署名の署名者が{count}人を超えています。',
  'signing-block-ignored':
    'APK署名ブロックを使用できません。セントラルディレクトリが終端レコードの位置で終わっていないため、Androidは無視します。',
  'signing-block-impossible-size': 'APK署名ブロックを使用できません。サイズの値が正しくありません。',
  'signing-block-two-sizes': 'APK署名ブロックを使用できません。2つのサイズの値が異なります。',
  'signing-block-too-large':
    'APK署名ブロックを使用できません。{bytes}バイトを超えていますが、そのようなブロックを作成する署名ツールはありません。',
  'signing-block-too-many-values': 'APK署名ブロックの値が{count}個を超えています。',
  'signing-block-value-truncated': 'APK署名ブロックの{number}番目の値が途中で切れています。',

  'code-not-merged':
    '複数のモジュールにコードが含まれており、1つのファイルに統合されません。Android 4では一部のコードが見つかりません。',
  'only-32-bit':
    'バンドルに32ビットのRenderScriptコードがあるため、64ビットのライブラリは含まれません。32ビットに対応していない端末では動作しません。',
  'embedded-apk-unsigned':
    'APKに含まれるウォッチ用の{name}は、バンドルの内容のままです。アプリと同じ署名がない場合、Wear OS 1のウォッチにはインストールされません。',
  'locale-config-missing':
    'バンドルはAndroidの設定に表示する言語の一覧を求めていますが、APKには含まれません。',
  'bundle-settings-ignored': 'BundleConfig.pbの次の設定はAPKに反映されません：{names}',
  'runtime-sdks-missing': 'アプリは、Androidが実行時に読み込むSDKを使用します。APKには含まれません。',
  'names-not-collapsed': 'バンドルはリソース名の短縮を指定していますが、APKでは元の名前のままです。',
  simulator: 'iOSシミュレーター用にビルドされたアプリのため、端末にインストールできません。',
  encrypted: '実行ファイルがApp Storeで暗号化されているため、購入者の端末でのみ動作します。',
  'no-profile': 'アプリにプロビジョニングプロファイルが含まれていないため、端末にインストールできません。',
  'executable-32-bit': '実行ファイルは32ビットのコードのみのため、iOS 11以降では動作しません。',
  'files-unreadable': 'アプリの次のファイルを読み取れません：{names}',
  'files-unreadable-and-more': 'アプリの次のファイルを読み取れません：{names}、ほか{count}件',
  'profile-changed': '署名後にプロビジョニングプロファイルが変更されたため、端末で拒否されます。',
  'profile-of-app-store': 'App Store用に署名されたアプリのため、Slipwayからインストールできません。',
  'profile-of-other-app': 'プロビジョニングプロファイルは{identifier}用で、{app}は対象外です。',
  'certificate-not-in-profile':
    '実行ファイルの署名に使用された証明書が、プロビジョニングプロファイルに含まれていません。',
  'executable-missing': 'アプリに実行ファイルが含まれていないため、インストールできません。',
  'executable-not-mach-o': '実行ファイルがMach-Oファイルではないため、インストールできません。',
  'executable-malformed': '実行ファイルの形式が正しくありません（{reason}）。',
  'executable-not-signed': '実行ファイルが署名されていないため、端末にインストールできません。',
  'executable-signed-ad-hoc':
    '実行ファイルが証明書のないアドホック署名のため、端末にインストールできません。',
  'executable-signature-unreadable': '実行ファイルの署名を読み取れません（{reason}）。',

  'text-cut': '{field}が{bytes}バイトを超えていたため、切り詰められました。',
  'simulator-zip-ignored': 'アップロードにIPAがないため、ios_simulator_zipは無視されました。',
  'simulator-zip-of-other-app':
    'ios_simulator_zipには{found}が含まれていますが、アップロードされたパッケージは{expected}です。',
};
