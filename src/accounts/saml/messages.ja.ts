import type { Translation } from '../../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  leaving: {
    title: 'サインアウトしました',
    line: '{provider}からもサインアウトします。',
    go: '{provider}に進む',
  },

  barred: {
    title: '{provider}でサインインしてください',
    line: 'ワークスペース{workspace}のメンバーは、{provider}でサインインする必要があります。ここでのサインインはそのまま続きます。',
  },

  problems: {
    malformed: '応答が正しくありません。',
    declined: 'プロバイダーがサインインを拒否しました。',
    wrapped: '応答に、署名された1つのアサーション以外のものが含まれています。',
    algorithm: '応答の署名アルゴリズムは使用できません。RSAとSHA-256またはSHA-512が必要です。',
    signature: 'アサーションがプロバイダーの鍵で署名されていません。',
    provider: '別のプロバイダーからの応答です。',
    audience: '別のサービスへの応答です。',
    destination: '別のアドレスへの応答です。',
    expired: '応答の有効期限が切れているか、まだ有効ではありません。時計のずれは1分まで許容されます。',
    used: 'この応答はすでに使用されています。',
    request: '別のリクエストへの応答です。',
    subject: '応答に、その人の永続的な識別子がありません。',
    encrypted: 'アサーションを復号できません。',
    cipher: 'アサーションの暗号化アルゴリズムは使用できません。AES-GCMとRSA-OAEPが必要です。',
  },
};
