/** Sets the language in which a request is answered. Nothing else does, for any route or error. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type LanguageScope, runInLanguage } from '../core/language/current-language.ts';
import type { Language } from '../core/language/languages.ts';
import { negotiateLanguage } from '../core/language/negotiate-language.ts';
import { isApiAddress } from './api-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until a hook sets it. */
    languageScope: LanguageScope | null;
  }
}

export type RunInRequestLanguage = <Result>(request: FastifyRequest, run: () => Result) => Result;

/** Call it before adding any other hook. `otherwise`: the language of the installation. */
export function addLanguageHooks(server: FastifyInstance, otherwise: Language): RunInRequestLanguage {
  const inLanguage: RunInRequestLanguage = (request, run) => {
    request.languageScope ??= scopeOf(request, otherwise);
    return runInLanguage(request.languageScope, run);
  };
  server.decorateRequest('languageScope', null);
  server.addHook('onRequest', (request, _reply, done) => inLanguage(request, done));
  // Events of the body run outside of the context that the first hook started.
  server.addHook('preValidation', (request, _reply, done) =>
    request.method === 'GET' || request.method === 'HEAD' ? done() : inLanguage(request, done),
  );
  return inLanguage;
}

/** Programs compare error messages of the API, so they stay in English. The header is read when a language is needed. */
function scopeOf({ url, headers }: FastifyRequest, otherwise: Language): LanguageScope {
  if (isApiAddress(url)) return { language: 'en', fixed: true };
  let language: Language | null = null;
  return {
    get language() {
      language ??= negotiateLanguage(headers['accept-language'], otherwise);
      return language;
    },
    set language(chosen) {
      language = chosen;
    },
  };
}
