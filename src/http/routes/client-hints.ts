/** Client hints, which Chrome sends after a page has requested them. Since 2023, its user agent contains neither version nor model. */
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
 * Requests the hints for the next visit (User-Agent Client Hints, section 3). Requesting them immediately would reload every
 * first visit and count it twice. The model is requested only from people with devices recorded by name.
 */
export function requestHints({ model }: { model: boolean }): { 'Accept-CH': string } {
  return { 'Accept-CH': `Sec-CH-UA-Platform-Version${model ? ', Sec-CH-UA-Model' : ''}` };
}
