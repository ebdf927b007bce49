import type { Translation } from '../../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  label: '設定の項目',
  overview: '概要',
  general: '全般',
  people: 'メンバー',
  access: 'アクセス',
  appearance: '表示',
  history: '履歴',
  branding: 'ブランディング',
  checks: 'チェック',
  policies: 'ポリシー',
  retention: '保持ルール',
  provisioning: 'プロビジョニング',
  signOn: 'シングルサインオン',
  accessReview: 'アクセスレビュー',
  trustedPublishing: '信頼済みパブリッシング',
  signingKeys: '署名鍵',
  developerVerification: 'デベロッパー確認',
  deletion: '削除',
};
