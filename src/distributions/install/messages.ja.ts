import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  feedback: {
    title: '問題が見つかりましたか？',
    line: '何が起きたかを開発チームにお知らせください。スクリーンショットも添付できます。',
    link: 'フィードバックを送る',
  },
  install: 'インストール',
  installAnyway: 'それでもインストール',
  installInApp: 'それでもインストール',
  download: 'APKをダウンロード',
  thenLook: {
    android: 'ダウンロードを開始しました。完了したら、通知からファイルを開いてください。',
    ios: 'iOSの確認画面で「インストール」をタップしてください。アプリはホーム画面に追加されます。',
  },
  cannotInstall: 'このビルドはインストールできません',
  settings: '設定',
  whatsNew: '変更点',
  noNote: 'リリースノートはありません。',
  about: 'このビルドについて',
  listedUnknown: '登録済みの端末（{count, plural, other {#台}}）にのみインストールできます。',
  listedCheck: 'この端末を確認',
  listedYes: 'この{noun}に対応しています',
  listedAgain: 'この端末をもう一度確認',
  computer: {
    title: 'スマートフォンのカメラで読み取ってください',
    android: 'スマートフォンでこのページが開き、すぐにインストールできます。',
    ios: 'iPhoneまたはiPadでこのページが開き、すぐにインストールできます。iOSアプリはパソコンからインストールできません。',
    tabletQuestion: 'iPadをお使いですか？',
    tabletInstall: 'このiPadにインストール',
  },
  member: {
    signIn: 'スマートフォンでは、最初にサインインが必要です。',
  },
  address: 'このページのリンク',
  qrLabel: '{name}のこのページのQRコード',
  openUntil: '公開期限：{day}',
  published: '<time></time>に公開',
  otherBuild: {
    title: '公開中のビルドではありません',
    line: 'このページでは現在、別のビルドを公開しています。',
    link: '公開中のビルドへ',
  },
  history: 'このページのすべてのビルド',
  historyMore: 'このページのほかのビルド',
  newest: '最新',
  live: '公開中',
  shown: '表示中',
  withdrawn: '公開停止',
  help: 'インストールできないとき',
  helpSteps: {
    android: [
      'ダウンロードしたファイルを開きます。初回は、このブラウザーに「提供元不明のアプリ」のインストールを許可するか確認されます。許可してから前の画面に戻ってください。',
      'Playプロテクトが不明なアプリについて警告することがあります。「詳細」をタップし、「インストールする」を選んでください。',
      '「アプリはインストールされていません」と表示される場合、署名の異なる同じアプリがすでにインストールされていることがほとんどです。先にそのアプリをアンインストールしてください。アプリのデータは削除されます。',
    ],
    ios: [
      '「インストール」をタップしても何も起こらない場合は、このページをSafariで開いてください。',
      'ダウンロード中、アプリはホーム画面に薄く表示されます。',
    ],
    iosEnterprise:
      'アプリを初めて開く前に、「設定」＞「一般」＞「VPNとデバイス管理」でデベロッパを信頼してください。',
    iosDevices:
      '「インストールできません」と表示される場合、ビルドがこの端末向けに署名されていないことがほとんどです。開発者が端末を追加し、新しいビルドをアップロードする必要があります。',
    iosDeveloperMode:
      'iOS 16以降では、「設定」＞「プライバシーとセキュリティ」＞「デベロッパモード」をオンにしてください。',
  },
  verification: {
    title: 'Androidにブロックされた場合',
    where:
      'このアプリはGoogleに登録されていません。認定Android端末は、このようなアプリを拒否することがあります。{countries}では{day}から適用されています。その他の国では{year}年中の、まだ公表されていない日から適用され、それまでは変わりません。',
    versions: '対象となるAndroidのバージョンをGoogleは公表していません。',
    versionsOf:
      '対象となるAndroidのバージョンをGoogleは公表していないため、お使いのAndroid {version}にも適用される可能性があります。',
    ask: 'リンクを送った人に、アプリの登録を依頼してください。登録されれば、ほかの操作は不要です。',
    advancedFlow:
      'または、Androidの開発者向けオプションで、未確認のデベロッパーのアプリを許可してください。再起動が必要で、1日かかります。その後、もう一度インストールしてください。',
    adb: 'または、パソコンからadbでAPKをインストールしてください。adbには制限がありません。',
  },
  blockers: {
    closed: 'このページは公開を終了しています。',
    expired: 'このページの公開期限が過ぎています。',
    withdrawn: 'このビルドは公開を停止しています。',
    installLimit: 'このページのインストール数が上限に達しました。リンクの送り主にお問い合わせください。',
    noHttps: 'iOSアプリのインストールにはHTTPSが必要ですが、このサーバーはHTTPを使用しています。',
    madeForOthers: 'このビルドは{made}向けです。{made}では、Webページからアプリをインストールできません。',
  },
  advice: {
    elsewhere: {
      ios: {
        title: 'このビルドはiPhone・iPad向けです',
        sentences: [
          'Androidにはインストールできません。iPhoneまたはiPadでコードを読み取るか、リンクを送ってください。',
        ],
      },
      android: {
        title: 'このビルドはAndroid向けです',
        sentences: [
          'iPhoneやiPadにはインストールできません。Android端末でコードを読み取るか、リンクを送ってください。',
        ],
      },
    },
    refused: 'この{noun}にはインストールできません',
    phone: 'スマートフォン',
    tooOld: 'このビルドには{needed}以降が必要です。お使いの端末は{has}です。',
    previewOnly: 'このビルドにはAndroidのプレビュー版（{codename}）が必要です。お使いの端末は{has}です。',
    targetTooOld:
      '{has}では、ターゲットSDKが古いアプリはインストールできません。ターゲットSDKの新しいビルドを開発者に依頼してください。',
    targetOld: 'ターゲットSDKが古いため、{refusing}以降ではインストールできません。',
    madeForIpad: 'このビルドはiPad専用です。',
    askToAdd: '開発者に、この端末を追加して新しいビルドをアップロードするよう依頼してください。',
    safari: 'Safari',
    chrome: 'Chrome',
    openIn: 'このページを{browser}で開いてください',
    inApp: {
      ios: '{app}内のブラウザーではアプリをインストールできません。メニューから「{browser}で開く」を選ぶか、リンクをコピーしてください。',
      android:
        '{app}内のブラウザーではダウンロードが失われることがあります。メニューから「{browser}で開く」を選ぶか、リンクをコピーしてください。',
    },
    inUnknownApp: {
      ios: 'アプリ内のブラウザーではアプリをインストールできません。メニューから「{browser}で開く」を選ぶか、リンクをコピーしてください。',
      android:
        'アプリ内のブラウザーではダウンロードが失われることがあります。メニューから「{browser}で開く」を選ぶか、リンクをコピーしてください。',
    },
    otherIosBrowser:
      '「インストール」をタップしても何も起こらない場合は、このページをSafariで開いてください。',
    notFromPlay:
      'Google Playからインストール済みで、このビルドをインストールできない場合は、署名が異なります。先にそのアプリをアンインストールしてください。',
    expiresSoon: '署名の有効期限が切れるため、{day}以降は使用できなくなります。',
  },
  description: '{version}（{platform}）',
  otherDescription: '{version}（{platform}）、公開中のビルドではありません',
};
