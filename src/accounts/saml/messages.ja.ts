import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  barred: {
    title: '{provider}でサインインしてください',
    line: 'ワークスペース{workspace}のメンバーは、{provider}でサインインする必要があります。ここでのサインインはそのまま続きます。',
  },

  problems: {
    malformed: '応答の形式が正しくありません。',
    declined: 'プロバイダーがサインインを拒否しました。',
    wrapped: '応答に、署名された単一のアサーション以外の内容が含まれています。',
    algorithm: '応答の署名アルゴリズムには対応していません。SHA-256またはSHA-512によるRSA署名が必要です。',
    signature: 'アサーションがプロバイダーの鍵で署名されていません。',
    provider: '別のプロバイダーからの応答です。',
    audience: '別のサービス宛ての応答です。',
    destination: '別のアドレス宛ての応答です。',
    expired: '応答の有効期限が切れているか、まだ有効ではありません。時計のずれは1分まで許容されます。',
    used: 'この応答はすでに使用されています。',
    request: '別のリクエストに対する応答です。',
    subject: '応答にユーザーの永続的な識別子が含まれていません。',
    encrypted: 'アサーションを復号できません。',
    cipher: 'アサーションの暗号化アルゴリズムには対応していません。AES-GCMとRSA-OAEPが必要です。',
  },
};
