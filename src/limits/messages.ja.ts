import type { Translation } from '../core/language/catalog.ts';
import type { en } from './messages.en.ts';

export const ja: Translation<typeof en> = {
  fromNetwork: 'お使いのネットワークからのリクエストが多すぎます。',
  withOneKey: '1つのキーまたはセッションからのリクエストが多すぎます。',
  atOnce: 'お使いのネットワークから同時に送られたリクエストが多すぎます。',
};
