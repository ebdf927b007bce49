/** Client hints, which Chrome sends after a page requested them: since 2023 its user agent names neither version nor model. */
import * as v from 'valibot';
import type { Values } from './form.ts';

export const hintHeaders = {
  'sec-ch-ua-platform-version': v.optional(v.string()),
  'sec-ch-ua-model': v.optional(v.string()),
};

export interface ClientHints {
  platformVersion?: string | undefined;
  model?: string | undefined;
}

export function hintsOf(headers: Values<typeof hintHeaders>): ClientHints {
  return { platformVersion: headers['sec-ch-ua-platform-version'], model: headers['sec-ch-ua-model'] };
}

/**
 * Requests the hints for the next visit (User-Agent Client Hints, section 3). Requiring them immediately would reload and
 * double-count every first visit. The model is requested only from people whose device is recorded by name.
 */
export function requestHints({ model }: { model: boolean }): { 'Accept-CH': string } {
  return { 'Accept-CH': `Sec-CH-UA-Platform-Version${model ? ', Sec-CH-UA-Model' : ''}` };
}
