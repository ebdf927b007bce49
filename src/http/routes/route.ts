/** Declares routes and enforces their declarations; `register-routes.ts` registers them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { AppError, type ErrorKind, type FormInvalid, fieldErrorsOf, NotFound } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { parseInput, parseJson, requireJson } from '../api/input.ts';
import { errorRenderingOf } from '../error-body.ts';
import { mergeForms } from '../loose-form.ts';
import { type Answer, html, type JsonResponse } from './answer.ts';
import { type Client, clientOf, type RouteCaller, type StreamedBody, streamedBodyOf } from './client.ts';
import {
  type Fields,
  parseFields,
  readFields,
  type SubmittedText,
  submittedText,
  textOf,
  type Values,
} from './form.ts';
import {
  callerInScope,
  carriesFormToken,
  countText,
  requireRecentProof,
  requireScope,
} from './route-checks.ts';
import type { Access, Guards, ResponseSchema, RouteFacts } from './route-facts.ts';

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? NameOf<Name> | ParamNames<More>
    : NameOf<Rest>
  : never;
/** `:owner.csv` has an ending that is part of the path. */
type NameOf<Text extends string> = Text extends `${infer Name}.${string}` ? Name : Text;
type Params<Path extends string, P> = {
  [Name in ParamNames<Path>]: P extends Record<Name, v.GenericSchema<string, infer Value>> ? Value : string;
};

/** The input of every handler: the caller, the subject, the client, and the frame for a page. */
export interface RouteContext<Caller = unknown, Subject = unknown> {
  caller: Caller;
  subject: Subject;
  client: Client;
  /** The parts of every page other than its own content. */
  readonly frame: PageFrame;
  /** Identifies the caller and checks access again, for answers that stay open. Throws what the route would throw. */
  reauthorize(): Promise<void>;
}

export interface Input<
  Params,
  Q extends Fields,
  H extends Fields,
  F extends Fields,
  J extends Fields,
  Caller,
  Subject,
> extends RouteContext<Caller, Subject> {
  params: Params;
  query: Values<Q>;
  headers: Values<H>;
  form: Values<F>;
  json: Values<J>;
}

interface Declaration<
  Path extends string,
  P extends Fields,
  Q extends Fields,
  H extends Fields,
  F extends Fields,
  J extends Fields,
  A extends ResponseSchema,
  S extends RouteFacts['streamedBody'],
  Caller extends RouteCaller,
  Subject,
> extends RouteFacts {
  path: Path;
  access: Access<NoInfer<Params<Path, P>>, Caller, Subject>;
  params?: P;
  query?: Q;
  headers?: H;
  form?: F;
  json?: J;
  answer?: A;
  streamedBody?: S;
  /** Rejects if the caller may not receive the rest of an answer that stays open. Without it, `access` is checked again. */
  reauthorize?(
    held: { caller: NoInfer<Caller>; subject: NoInfer<Subject> },
    request: FastifyRequest,
  ): Promise<void>;
  /**
   * Checks permissions that depend on the body of an operation. Unlike errors of `handle`, its errors also apply to a repetition
   * with the same `Idempotency-Key`.
   */
  authorizeBody?(input: Input<Params<Path, P>, Q, H, F, J, Caller, Subject>): Promise<void>;
  handle(
    input: Input<Params<Path, P>, Q, H, F, J, Caller, Subject> & {
      body: S extends object ? StreamedBody : null;
    },
  ): Promise<A extends v.GenericSchema ? JsonResponse<v.InferOutput<A>> : Answer>;
  /** Renders the page again, with the submitted values and their errors. */
  renderErrors?(
    refusal: RejectedForm<F>,
    input: Omit<Input<Params<Path, P>, Q, H, F, J, Caller, Subject>, 'form' | 'json'>,
  ): Promise<string>;
  /** Kinds of errors that `renderErrors` shows, besides invalid fields. */
  renderedErrorKinds?: readonly ErrorKind[];
}

export interface RejectedForm<F extends Fields = Fields> {
  submitted: SubmittedText<F>;
  /** Empty unless the error is about fields. */
  errors: FormInvalid['errors'];
  error: AppError;
}

const defined = Symbol('defined by defineRoute');

export const isDefined = (route: Route): boolean => route[defined] === true;

/** A declaration with its types closed over. `begin` checks the headers of a request and returns the remaining steps. */
export interface Route extends RouteFacts {
  /** Only set by `defineRoute`, because an object that merely looks like a route enforces nothing. */
  readonly [defined]: true;
  begin(request: FastifyRequest, guards: Guards): Promise<Proceed>;
}

/** Path parameters are names, which never begin or end with white space; secrets in CI services end with a newline. */
function trimmed(params: unknown): Record<string, string> {
  const given = params as Readonly<Record<string, string>>;
  const found: Record<string, string> = {};
  for (const name in given) found[name] = String(given[name]).trim();
  return found;
}

/** Called when the body has been parsed, or at once if it is streamed. `sendContinue`: allows a waiting client to send its body. */
export type Proceed = (reply: FastifyReply, sendContinue: () => void) => Promise<Answer>;

/** Creates schemas at their first use: a thousand of them are a thirtieth of a start. */
function lazySchemas<
  P extends Fields,
  Q extends Fields,
  H extends Fields,
  F extends Fields,
  J extends Fields,
>({ params, query, headers, form, json }: { params?: P; query?: Q; headers?: H; form?: F; json?: J }) {
  const lazily = <Schema>(create: () => Schema) => {
    let schema: Schema | null = null;
    return () => (schema ??= create());
  };
  return {
    params: lazily(() => v.looseObject(params ?? ({} as P))),
    query: lazily(() => v.object(query ?? ({} as Q))),
    strictQuery: lazily(() => v.strictObject(query ?? ({} as Q))),
    headers: lazily(() => v.object(headers ?? ({} as H))),
    form: lazily(() => v.object(form ?? ({} as F))),
    json: lazily(() => v.strictObject(json ?? ({} as J))),
  };
}

/** Closes over the types of a declaration. The order of enforcement is the order of the statements below. */
export function defineRoute<
  const Path extends string,
  Caller extends RouteCaller,
  Subject,
  P extends Fields = Record<never, never>,
  Q extends Fields = Record<never, never>,
  H extends Fields = Record<never, never>,
  F extends Fields = Record<never, never>,
  J extends Fields = Record<never, never>,
  A extends ResponseSchema = undefined,
  S extends RouteFacts['streamedBody'] = undefined,
>(route: Declaration<Path, P, Q, H, F, J, A, S, Caller, Subject>): Route {
  const schemas = lazySchemas<P, Q, H, F, J>(route);
  const readQuery = (given: Readonly<Record<string, unknown>>): Values<Q> => {
    if (route.operationId !== undefined) return parseInput(schemas.strictQuery(), given, 'query');
    return route.query ? parseFields(schemas.query(), given) : ({} as Values<Q>);
  };
  const hasNoFormToken = !carriesFormToken(route);
  const isPlain =
    hasNoFormToken && !route.form && !route.json && !route.streamedBody && !route.reauthentication;
  return {
    ...route,
    [defined]: true,
    begin: async (request, guards) => {
      const given = trimmed(request.params);
      const parsed = route.params && v.safeParse(schemas.params(), given);
      const caller = callerInScope(route, await route.access.identify(request));
      // Comes after identifying the caller, because 401 takes precedence over 404.
      if (parsed?.success === false) throw new NotFound();
      const params = (parsed?.output ?? given) as Params<Path, P>;
      if (!hasNoFormToken) guards.checkFormOrigin(request);
      const subject = await route.access.authorize(caller, params, request);
      const headers = route.headers ? parseFields(schemas.headers(), request.headers) : ({} as Values<H>);
      const query = readQuery(request.query as Record<string, unknown>);
      let client: Client | null = null;
      const context = {
        caller,
        subject,
        params,
        query,
        headers,
        get client() {
          client ??= clientOf(request, guards.originOf);
          return client;
        },
        reauthorize: async () => {
          if (route.reauthorize) return route.reauthorize(context, request);
          const again = callerInScope(route, await route.access.identify(request));
          await route.access.authorize(again, params, request);
        },
        get frame() {
          return guards.frameOf(request, caller);
        },
      };
      // Answers contain addresses, so an invalid Host is rejected before anything changes.
      if (route.method !== 'GET') void context.client.origin;
      const run = async (
        form: Values<F>,
        given = {} as Values<J>,
        body = null as S extends object ? StreamedBody : null,
      ): Promise<Answer> => {
        const answer: Answer = await route.handle(Object.assign(context, { form, json: given, body }));
        return answer.kind === 'blob' ? { ...answer, reauthorize: context.reauthorize } : answer;
      };
      return async (reply, sendContinue) => {
        if (isPlain) {
          if (route.rateLimit) await guards.count(route.rateLimit, request, caller, 1);
          return run({} as Values<F>);
        }
        let isTokenChecked = hasNoFormToken;
        const checkFormToken = (token: string) => {
          guards.checkFormToken(request, caller, token);
          isTokenChecked = true;
        };
        let areScopesChecked = caller !== null && caller.keyScopes !== undefined;
        const checkKeyScopes = (scopes: readonly KeyScope[]) => {
          requireScope(route, scopes);
          areScopesChecked = true;
        };
        let counted: Promise<void> | null = null;
        const admit = () => {
          if (!isTokenChecked) throw new Error(`${route.path} counts a body before its form token`);
          counted ??= route.rateLimit ? guards.count(route.rateLimit, request, caller, 1) : Promise.resolve();
          return counted;
        };
        const checks = { accept: sendContinue, checkFormToken, admit, checkKeyScopes };
        const body = (route.streamedBody ? streamedBodyOf(request, reply, checks) : null) as S extends object
          ? StreamedBody
          : null;
        if (route.json) {
          requireJson(request.headers['content-type']);
          const text = request.body as string | null | undefined;
          const given = parseInput(schemas.json(), parseJson(text), 'body');
          const { rateLimit } = route;
          await route.authorizeBody?.(Object.assign(context, { form: {} as Values<F>, json: given }));
          return guards.once(request, caller, given, async () => {
            await countText(guards, caller, text ?? '');
            if (rateLimit) await guards.count(rateLimit, request, caller, rateLimit.weigh?.(given) ?? 1);
            return run({} as Values<F>, given);
          });
        }
        if (!route.form) {
          if (route.reauthentication) await requireRecentProof(guards, caller, { fields: {}, form: {} });
          if (route.rateLimit && !route.streamedBody) await guards.count(route.rateLimit, request, caller, 1);
          const answer = await run({} as Values<F>, undefined, body);
          if (!isTokenChecked) throw new Error(`${route.path} has not checked the form token of its body`);
          if (route.streamedBody && route.rateLimit && !counted)
            throw new Error(`${route.path} has not counted its body`);
          if (route.access.credentials.includes('key in form') && !areScopesChecked)
            throw new Error(`${route.path} has not checked the scopes of the key in its body`);
          return answer;
        }
        const sent = [...(route.looseForm === true ? [request.query] : []), request.body];
        const submitted = route.looseForm ? mergeForms(...sent) : request.body;
        const fields = readFields(submitted, route.form);
        if (!isTokenChecked) checkFormToken(textOf(fields, 'csrf'));
        if (route.reauthentication) await requireRecentProof(guards, caller, { fields, form: route.form });
        try {
          const form = parseFields(schemas.form(), fields);
          await countText(guards, caller, fields);
          if (route.rateLimit) {
            const weight = route.rateLimit.weigh?.(form) ?? 1;
            await guards.count(route.rateLimit, request, caller, weight);
          }
          return await run(form);
        } catch (error) {
          if (!(error instanceof AppError) || !route.renderErrors) throw error;
          const errors = fieldErrorsOf(error);
          if (!errors && !route.renderedErrorKinds?.includes(error.kind)) throw error;
          const page = await route.renderErrors(
            { submitted: submittedText(route.form, fields), errors: errors ?? {}, error },
            context,
          );
          const { retryAfterSeconds } = error;
          return html(page, {
            status: errorRenderingOf(error.kind).status,
            ...(retryAfterSeconds === null ? {} : { headers: { 'Retry-After': String(retryAfterSeconds) } }),
          });
        }
      };
    },
  };
}
