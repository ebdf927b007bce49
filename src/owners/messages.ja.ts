import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  gone: {
    project: 'プロジェクト{name}は存在しません。',
    user: 'ユーザー{name}は存在しません。',
  },
  unknown: {
    user: 'ユーザー{name}は存在しません。',
    project: 'プロジェクト{name}は存在しません。',
    workspace: 'ワークスペース{name}は存在しません。',
    team: 'チームは{teams}のいずれかです（{team}は指定できません）。',
  },
  lastProjectOwner: 'プロジェクトには少なくとも1人のオーナーが必要です。先に別の人をオーナーにしてください。',
  lastWorkspaceOwner:
    'ワークスペースには少なくとも1人のオーナーが必要です。先に別のオーナーを追加してください。',
  nameTaken: '{name}という名前はすでに使用されています。',
  nameOrAddressTaken: '名前{name}またはメールアドレス{email}はすでに使用されています。',
  tooManyProjects:
    'アカウントのプロジェクトの上限（{limit}件）に達しました。プロジェクトを削除するか、管理者に上限の引き上げを依頼してください。',
  email: '{email}は正しいメールアドレスではありません。',
  description: '説明は{limit}文字以内で入力してください。',
  signOnRequired: 'ワークスペース{workspace}を使うには、{provider}でのサインインが必要です。',
  displayName: '表示名は{limit}文字以内で、見えない文字を含めずに入力してください。',
  icon: 'アイコンのアドレスは、/で始まるパス、またはhttpかhttpsのアドレスを入力してください。',
  quota: {
    storage: '50GiBや500MBのようなサイズを入力するか、上限なしの場合は空欄にしてください。',
    builds: 'ビルドの数は0から{limit}までで入力するか、上限なしの場合は空欄にしてください。',
    projects: 'プロジェクトの数は0から{limit}までで入力するか、上限なしの場合は空欄にしてください。',
  },

  owner: {
    apps: 'アプリ',
    people: 'メンバー',
    teams: { owner: 'オーナー', developer: '開発者', auditor: '監査者', tester: 'テスター' },
    teamRights: {
      owner: 'プロジェクトの管理とアップロード',
      developer: 'アップロードと公開',
      auditor: 'すべての閲覧（変更は不可）',
      tester: 'ビルドのインストール',
    },
    nobody: 'まだいません',
    more: 'ほか{count}人',
    managePeople: 'メンバーを管理',
    leavePeople: 'チームとメンバー',
    stored: '使用容量',
    user: 'ユーザー',
    project: 'プロジェクト',
    inWorkspace: 'ワークスペース：<name>{workspace}</name>',
    projectInWorkspace: 'プロジェクト（ワークスペース：<name>{workspace}</name>）',
    empty: 'アプリはまだありません',
    emptyLine: 'アプリは、最初のアップロード後に表示されます。',
  },
};
