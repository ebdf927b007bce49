import { catalog } from '../../core/language/catalog.ts';
import { en } from './messages.en.ts';
import { ja } from './messages.ja.ts';
import type { Refusal } from './trusted-publisher.ts';

export const trustedPublishingTexts = catalog({ en, ja });

/** Says why the publisher with that name refused a token. */
export function refusalText(name: string, { code, claim, wanted, found }: Refusal): string {
  const t = trustedPublishingTexts.refusals;
  if (code === 'event_refused') return t.event({ name, event: found ?? '' });
  if (code === 'self_hosted_runner') return t.runner({ name });
  const values = { name, claim, wanted, isNone: found === null ? 'yes' : 'no', found: found ?? '' };
  return code === 'pinned_id_differs' ? t.pinned(values) : t.claim(values);
}
