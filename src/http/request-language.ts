/** The language in which a request is answered: the only place that enters it, for every route and every error. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type LanguageScope, runInLanguage } from '../core/language/current-language.ts';
import type { Language } from '../core/language/languages.ts';
import { negotiateLanguage } from '../core/language/negotiate-language.ts';
import { isApiAddress } from './api-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until a hook needs it. */
    languageScope: LanguageScope | null;
  }
}

export type RunInRequestLanguage = <Result>(request: FastifyRequest, run: () => Result) => Result;

/** Must be called before any other hook is added. `otherwise`: the language of the installation. */
export function addLanguageHooks(server: FastifyInstance, otherwise: Language): RunInRequestLanguage {
  const inLanguage: RunInRequestLanguage = (request, run) => {
    request.languageScope ??= scopeOf(request, otherwise);
    return runInLanguage(request.languageScope, run);
  };
  server.decorateRequest('languageScope', null);
  server.addHook('onRequest', (request, _reply, done) => inLanguage(request, done));
  // The events of a body are not part of what the first hook started.
  server.addHook('preValidation', (request, _reply, done) => inLanguage(request, done));
  return inLanguage;
}

/** Programs compare the sentences of the API, so they stay English. */
function scopeOf({ url, headers }: FastifyRequest, otherwise: Language): LanguageScope {
  if (isApiAddress(url)) return { language: 'en', fixed: true };
  return { language: negotiateLanguage(headers['accept-language'], otherwise) };
}
