import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  go: '{provider}で続ける',
  or: 'または',

  leaving: {
    in: {
      title: 'サインイン',
      line: '{provider}でサインインした後、ここに戻ります。',
      go: '{provider}に進む',
    },
    out: {
      title: 'サインアウトしました',
      line: '{provider}からもサインアウトします。',
      go: '{provider}に進む',
    },
  },

  errors: {
    unreachable: {
      title: '{provider}に接続できません',
      line: 'サインインには{provider}が必要ですが、応答がありませんでした。',
    },
    cancelled: {
      title: 'サインインがキャンセルされました',
      line: '{provider}でキャンセルしたか、{provider}が拒否しました。',
    },
    stale: {
      title: '最初からやり直してください',
      line: 'このサインインは、別のブラウザーで開始されたか、10分以上かかったか、すでに完了しています。',
    },
    refused: {
      title: 'サインインできませんでした',
      line: '{provider}の応答ではサインインできません。',
    },
    uninvited: {
      title: 'アカウントがありません',
      line: '{provider}で確認できましたが、このサーバーにアカウントがありません。招待を依頼してください。',
    },
    domain: {
      title: 'アカウントがありません',
      line: 'アカウントには、特定のドメインの確認済みメールアドレスが必要です。{provider}のアドレスは該当しません。',
    },
    unconfirmed: {
      title: '同じメールアドレスのアカウントがあります',
      line: '両方のアドレスが同じ人のものであることを確認できないため、サインインできませんでした。',
    },
    'other-identity': {
      title: '同じメールアドレスのアカウントがあります',
      line: '{provider}の別のアカウントと連携されているため、サインインできませんでした。管理者に連絡してください。',
    },
    unmanaged: {
      title: '先にアカウントへサインインしてください',
      line: 'このアカウントは、{provider}を設定したワークスペースの管理対象ではないため、まだ{provider}ではサインインできません。',
    },
    full: {
      title: 'アカウントがありません',
      line: '{provider}で本人確認はできましたが、{provider}を設定したワークスペースのアカウント数が上限に達しています。',
    },
    'not-recent': {
      title: '本人確認ができませんでした',
      line: '{provider}で再度サインインが求められませんでした。本人確認のため、{provider}でもう一度サインインしてください。',
    },
    'other-account': {
      title: '本人確認ができませんでした',
      line: 'サインインした{provider}のアカウントは、このサーバーのアカウントと連携されていません。連携しているアカウントでもう一度お試しください。',
    },
    taken: {
      title: '連携できませんでした',
      line: 'その{provider}のアカウントは、ここで別の人と連携されているか、すでに別のアカウントと連携しています。',
    },
  },
  advice: {
    unreachable: '1分後にもう一度お試しください。問題が続く場合は、管理者に連絡してください。',
    refused:
      'もう一度お試しください。問題が続く場合は、管理者に連絡してください。理由はサーバーのログに記録されています。',
    uninvited: 'アカウントをお持ちの場合は、サインインして、設定で{provider}と連携してください。',
    unconfirmed:
      'ご自身のアカウントの場合は、サインインして、設定で{provider}と連携してください。できない場合は、管理者に連絡してください。',
    'not-recent':
      '問題が続く場合は、管理者に連絡してください。プロバイダーが、このサーバーの要求（max_ageとauth_time、またはForceAuthn）に応じて再認証する必要があります。',
  },
  signInFirst:
    'アカウントをお持ちの場合は、まず別の方法でサインインしてください。その後、{provider}に進みます。',
  anotherWay: '別の方法でサインイン',
  askAdministrator: '管理者に連絡してください。',
  again: 'もう一度試す',
  toSignIn: 'サインインに戻る',
  toSettings: '設定に戻る',

  confirm: {
    title: '{provider}と連携しますか？',
    line: '今後、{label}で{name}としてサインインできるようになります。',
    button: '連携',
  },

  section: {
    title: 'シングルサインオン',
    none: '{provider}のアカウントと連携すると、サインインに使用できます。',
    link: '{provider}と連携',
    facts: '<name>{provider}</name>と<time></time>に連携しました。',
    unlink: '連携を解除',
    unlinkOf: '{label}との連携を解除',
    unlinkLine: 'もう一度連携するまで、{provider}ではサインインできなくなります。',
    onlyWay: 'サインインの唯一の方法です。解除するには、先にパスワードを設定してください。',
    always: 'このサーバーでは、サインインに必要です。',
    linked: '連携しました。サインインに使用できます。',
    unlinked: '連携を解除しました。サインインには使用できません。',
    emailHint: 'このサーバーではパスワードを使用しないため、ここでは変更できません。',
  },
  taken: 'そのアカウントはすでに連携されています。',

  notLinked: 'このアカウントは連携されていません。',
  nothingToConfirm: '確認する連携はありません。',
  passwordsOff: 'このサーバーではパスワードを使用しません。シングルサインオンでサインインしてください。',
};
