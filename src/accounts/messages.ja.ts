import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  settings: {
    title: '設定',
    profile: 'プロフィール',
    password: 'パスワード',
    security: 'セキュリティ',
    keys: 'APIキー',
    sessions: 'セッション',
    invitations: '招待',
    devices: '端末',
    mail: 'メール',
  },

  profile: {
    name: 'ユーザー名',
    nameHint: 'すべてのリンクに含まれるため、変更できません。',
    email: 'メールアドレス',
    emailHintMail:
      'サインインとメールの受信に使用します。新しいアドレスは、そのアドレスに届くメールのリンクを開くと有効になります。',
    emailHint: 'サインインに使用します。',
    save: 'メールアドレスを変更',
    changed: 'メールアドレスを変更しました。',
    asked: '{email}にメールを送信しました。1日以内にメールのリンクを開くと、アドレスが有効になります。',
    same: 'すでにこのメールアドレスが登録されています。',
    unusable: 'このメールアドレスは使用できません。',
    confirmTitle: 'このメールアドレスを使用しますか？',
    confirmLine: '{email}を{name}のメールアドレスにします。',
    confirm: 'このアドレスを使用',
    language: '言語',
    data: 'あなたのデータ',
    dataHint:
      'このサーバーにあるあなたに関するすべてのデータを、シークレットを除いたJSONファイルで取得できます。',
    downloadData: '自分のデータをダウンロード',
    languageHint: 'ページとメールの言語です。「自動」では、ブラウザーの言語を使用します。',
    automatic: '自動',
    saveLanguage: '言語を保存',
    languageSaved: '言語を保存しました。',
    goneTitle: 'このリンクは無効です',
    goneLine: 'リンクは、変更を申し込んだアカウントで、1日以内に1回だけ使用できます。',
  },

  password: {
    current: '現在のパスワード',
    fresh: '新しいパスワード',
    freshHint: '{minimum}文字以上。あまり使われない単語をいくつか組み合わせるのがおすすめです。',
    again: '新しいパスワード（確認）',
    save: 'パスワードを変更',
    sessionsEnd:
      'ほかのセッションはすべて終了し、ほかのブラウザーでは再度サインインが必要です。APIキーは引き続き使用できます。',
    changed: 'パスワードを変更しました。ほかのセッションはすべて終了しました。',
    wrong: 'パスワードが正しくありません。',
    length: 'パスワードは{minimum}～{limit}文字で入力してください。',
    easy: 'このパスワードは推測されやすいものです。よく使われているか、ユーザー名に似ています。別のパスワードにしてください。',
    breached: 'このパスワードは、過去に流出したデータに含まれています。別のパスワードにしてください。',
    different: 'パスワードが一致しません。',
    unchanged: '現在のパスワードと同じです。別のパスワードにしてください。',
    none: 'パスワードなしでサインインしています。設定するには、メールでリンクを受け取ってください。',
    noneLink: 'リンクを受け取る',
  },

  welcome: {
    title: 'パスワードを設定してください',
    line: '仮のパスワードでサインインしました。続けるには、ご自身のパスワードを設定してください。',
    email: 'メールアドレス',
    emailHint: 'サインインと、ビルドのメール通知に使用します。省略できます。',
    addressTitle: '公開アドレス',
    address:
      'Slipwayを{origin}で開いています。スマートフォンからアクセスするアドレスをSLIPWAY_URLに設定してください。メール内のリンクに必要で、iOSではhttpsでのみインストールできます。',
    save: '保存して続ける',
  },

  forgot: {
    title: 'パスワードをお忘れですか？',
    link: 'パスワードをお忘れですか？',
    line: 'ユーザー名またはメールアドレスを入力してください。アカウントにメールアドレスが登録されていれば、新しいパスワードを設定するリンクを送信します。',
    login: 'ユーザー名またはメールアドレス',
    send: 'リンクを送信',
    sentTitle: 'メールを確認してください',
    sent: 'アカウントにメールアドレスが登録されている場合、メールを送信しました。リンクの有効期限は1時間です。',
    noMail:
      'このサーバーはメールを送信しません。サーバー上で新しいパスワードを設定するよう、管理者に依頼してください。',
    command: 'パスワードを設定するコマンド',
    back: 'サインインに戻る',
    loginError: 'ユーザー名またはメールアドレスを入力してください。',
    loginLong: 'ユーザー名またはメールアドレスは{limit}文字までです。',
  },

  reset: {
    title: '新しいパスワードを設定',
    line: '{name}のパスワードを設定します。このアカウントのセッションはすべて終了します。',
    save: 'パスワードを設定',
    done: 'パスワードを変更しました。新しいパスワードでサインインしてください。',
    goneTitle: 'このリンクは無効です',
    goneLine: 'リンクの有効期限は1時間で、1回だけ使用できます。新しいリンクを申し込んでください。',
    again: '新しいリンクを申し込む',
  },

  sessions: {
    line: 'サインインしているブラウザーの一覧です。セッションは、サインインから30日後に終了します。使用されていない場合や、ここで終了した場合は、それより早く終了します。',
    current: 'このセッション',
    facts:
      '最終アクセス：<seen></seen>（<network>{address}</network>）。サインイン：<signedIn></signedIn>。有効期限：<expires></expires>。',
    factsExtendable:
      '最終アクセス：<seen></seen>（<network>{address}</network>）。サインイン：<signedIn></signedIn>。有効期限：<expires></expires>（使用すると延長）。',
    unknownBrowser: '不明なブラウザー',
    on: '{system}の{browser}',
    end: 'サインアウト',
    endOf: '{what}からサインアウト',
    endLine: 'このブラウザーでは、もう一度サインインが必要になります。',
    endOthers: 'ほかのすべてのセッションからサインアウト',
    endOthersLine:
      'ほかのすべてのブラウザーで、もう一度サインインが必要になります。APIキーは引き続き使用できます。',
    ended: 'セッションを終了しました。',
    othersEnded: 'ほかのセッションをすべて終了しました。',
  },

  signUp: {
    title: 'アカウントを作成',
    link: 'アカウントを作成',
    name: 'ユーザー名',
    nameHint: '英字、数字、-、_を使用できます。リンクに含まれるため、後から変更できません。',
    email: 'メールアドレス',
    emailHint:
      'パスワードの再設定に必要です。確認メールをお送りします。メール内のリンクを開くと、アドレスが有効になります。',
    emailInvited: '招待はこのアドレスに送信されました。',
    emailPlain: '任意。サインインにも使用できます。',
    password: 'パスワード',
    again: 'パスワード（確認）',
    make: 'アカウントを作成',
    known: 'すでにアカウントをお持ちですか？',
    taken: 'このユーザー名はすでに使用されています。',
    emailError: '正しいメールアドレスを入力してください。',
  },

  invitations: {
    title: '招待',
    titleHere: 'このサーバーへの招待',
    line: '1つのリンクで1人が、既存または新規のアカウントで参加できます。有効期限は7日間です。',
    lineHere: '1つのリンクで1人がアカウントを作成できます。有効期限は7日間です。',
    invite: '招待する',
    team: 'チーム',
    email: 'メールアドレス',
    emailHint: 'このアドレスにリンクを送信します。空欄にすると、ご自身で共有するリンクを作成します。',
    noMail: 'このサーバーはメールを送信しません。リンクを作成するので、ご自身で共有してください。',
    button: '招待する',
    open: '未承諾の招待',
    none: '未承諾の招待はありません',
    gone: 'この招待は無効になっています。',
    byLink: '共有リンク',
    someone: '削除されたユーザー',
    facts: '招待した人：<name>{inviter}</name>。有効期限：<day></day>。',
    revoke: '取り消し',
    revokeOf: '{whom}への招待を取り消し',
    revokeLine: '招待のリンクが無効になります。もう一度招待することもできます。',
    revoked: '招待を取り消しました。',
    sent: '{email}に招待を送信しました。',
    linkTitle: 'リンク',
    linkLine: '一度だけ表示されます。1人だけが使用できるため、招待する相手にだけ共有してください。',
    teams: { owner: 'オーナー', developer: '開発者', auditor: '監査者', tester: 'テスター' },
    full: '未承諾の招待がすでに{limit}件あります。先にいくつか取り消してください。',
    teamError: 'チームを選択してください。',
  },

  peopleList: {
    hint: '1行に1人、またはカンマ区切りで入力します。60人までの一覧を貼り付けられます。',
    tooLong: '{limit}文字以内で入力してください。',
    tooMany: '一度に追加できるのは{limit}人までです。',
    resultTitle: '追加したユーザー',
    resultLine: '{total}人中{done}人を追加または招待しました。',
    entry: 'ユーザー',
    result: '結果',
    explanation: '説明',
    outcomes: {
      added: '追加済み',
      invited: '招待済み',
      already: 'アクセス権あり',
      pending: '招待中',
      unknown: '不明',
      invalid: '無効',
      refused: '追加できません',
    },
    explanations: {
      added: 'すぐにアクセスできます。',
      invited: '承諾するとアクセスできます。',
      already: 'すでにアクセスできます。',
      pending: 'まだ返答がありません。',
      unknown: 'このユーザー名またはメールアドレスのユーザーはいません。',
      invalid: 'ユーザー名でもメールアドレスでもありません。',
    },
    back: 'ユーザーの一覧に戻る',
  },

  ownInvitations: {
    title: '招待',
    line: '承諾すると参加します。それまではアクセスできず、ビルドのメールも届きません。',
    none: '未承諾の招待はありません。',
    places: {
      project: 'プロジェクト{name}',
      workspace: 'ワークスペース{name}',
      app: 'アプリ{name}',
    },
    facts:
      '{role, select, owner {オーナー} member {メンバー} developer {開発者} auditor {監査者} other {テスター}}としての招待。招待した人：<name>{inviter}</name>。有効期限：<day></day>。',
    pendingFacts:
      '{role, select, owner {オーナー} member {メンバー} developer {開発者} auditor {監査者} other {テスター}}としての招待。有効期限：<day></day>。',
    accept: '承諾',
    acceptOf: '{name}への招待を承諾',
    decline: '辞退',
    declineOf: '{name}への招待を辞退',
    declineLine: '後から参加するには、新しい招待が必要です。',
    accepted: '参加しました。',
    declined: '招待を辞退しました。',
    waiting: '未承諾の招待が{count, plural, other {#件}}あります。',
    see: '招待を見る',
    pending: '招待中',
    pendingLine: '承諾すると参加します。',
    cancel: '取り消し',
    cancelOf: '{name}への招待を取り消し',
    cancelLine: '招待のリンクが無効になります。もう一度招待することもできます。',
    cancelButton: '招待を取り消す',
    canceled: '招待を取り消しました。',
    invited: '招待しました。承諾すると参加します。',
    already: 'すでに招待済みです。まだ返答がありません。',
  },

  invitation: {
    title: '招待が届いています',
    into: {
      project: '{inviter}から、プロジェクト{name}に招待されています。',
      app: '{inviter}から、{name}のテストに招待されています。',
    },
    here: '{inviter}から、このSlipwayサーバーに招待されています。',
    someone: 'ほかのユーザー',
    teams: {
      owner: 'オーナーは、プロジェクトを管理し、ビルドをアップロードできます。',
      developer: '開発者は、ビルドをアップロードして公開できます。',
      auditor: '監査者は、プロジェクトのすべてを閲覧し、ビルドをインストールできますが、変更はできません。',
      tester: 'テスターは、ビルドをインストールできます。',
    },
    tester: 'ビルドをインストールできます。',
    join: '{name}として参加',
    other: '別のアカウントで参加するには、先にサインアウトしてください。',
    member: 'すでに{name}に参加しています。この招待による変更はありません。',
    open: 'プロジェクトを開く',
    accountAlready: 'すでにアカウントをお持ちです。この招待は新しいユーザー向けです。',
    signIn: '既存のアカウントで参加',
    fresh: 'または、アカウントを作成',
    freshHere: 'アカウントを作成',
    goneTitle: 'この招待は無効です',
    goneLine: '招待の期限が切れたか、取り消されたか、人数の上限に達しました。新しい招待を依頼してください。',
  },

  signIn: {
    changed: 'このアカウントのパスワードまたは2要素認証が変更されました。もう一度サインインしてください。',
    directoryDown:
      '{provider}に接続できないため、パスワードを確認できません。しばらくしてからもう一度試すか、このサーバーのパスワードを使用してください。',
    denied: {
      'account-disabled': '{provider}のアカウントは無効になっています。管理者にお問い合わせください。',
      'account-expired': '{provider}のアカウントは有効期限が切れています。管理者にお問い合わせください。',
      'not-at-this-time': '{provider}により、この時間帯のサインインは許可されていません。',
      'not-from-this-computer':
        '{provider}により、ここからのサインインは許可されていません。管理者にお問い合わせください。',
      'password-expired':
        '{provider}のパスワードは有効期限が切れています。{provider}で変更してからサインインしてください。',
      'password-must-change':
        '{provider}のパスワードを先に変更する必要があります。{provider}で変更してからサインインしてください。',
    },
    disabled: 'このアカウントは無効になっています。管理者にお問い合わせください。',
    formExpired: 'フォームの有効期限が切れました。ページをもう一度開いてください。',
    otherSite: 'フォームが別のサイトから送信されました。',
    membersTitle: 'このページはメンバー専用です。',
    members:
      'アクセス権のあるアカウントでサインインしてください。アカウントがない場合は、リンクを送ってきた人にお問い合わせください。',
    wrong: 'ユーザー名またはパスワードが正しくありません。',
  },

  emails: {
    reset: {
      subject: '{site}のパスワードの再設定',
      requested: '{name}の新しいパスワードの設定が申し込まれました。',
      expires:
        'リンクの有効期限は1時間で、1回だけ使用できます。お心当たりのない場合は、このメールを無視してください。パスワードは変更されません。',
      link: '新しいパスワードを設定',
    },
    email: {
      subject: '{site}のメールアドレスの確認',
      requested: '{name}さんが、{site}でこのメールアドレスの使用を希望しています。',
      expires:
        'ご本人の場合は、1日以内にリンクを開いてください。お心当たりのない場合は、このメールを無視してください。',
      link: 'このメールアドレスを使用',
    },
    emailTaken: {
      subject: '{site}のメールアドレスについて',
      requested: '{site}の別のアカウントで、このメールアドレスの使用が申し込まれました。',
      stays:
        'このアドレスはアカウント{name}のもので、変更されません。パスワードをお忘れの場合は、新しいパスワードを設定してください。',
      link: '新しいパスワードを設定',
    },
    invitation: {
      subject: '{inviter}から{site}への招待',
      subjectInto: '{inviter}から{site}の{into}への招待',
      line: '{inviter}から{site}に招待されました。アプリのビルドをインストールしてテストできます。',
      lineInto:
        '{inviter}から{site}のプロジェクト{into}に招待されました。アプリのビルドをインストールしてテストできます。',
      expires: 'リンクは7日以内に1回だけ使用できます。お心当たりのない場合は、このメールを無視してください。',
      personal: {
        project: '{inviter}から{site}のプロジェクト{into}に招待されました。',
        workspace: '{inviter}から{site}のワークスペース{into}に招待されました。',
        app: '{inviter}から{site}のアプリ{into}に招待されました。',
      },
      personalExpires:
        '7日以内にサインインして、承諾または辞退してください。承諾するまではアクセスできず、これに関するほかのメールも届きません。',
      link: '招待を見る',
    },
    reason: 'このメールは、{host}の{site}での申し込みに応じて送信されました。',
  },

  signInPage: {
    title: 'サインイン',
    login: 'ユーザー名またはメールアドレス',
    password: 'パスワード',
    submit: 'サインイン',
    failed: 'サインインできませんでした',
  },
};
