/** Route declarations. `register-routes.ts` enforces them; the permission test, OpenAPI and docs/addresses.md are generated from them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { AppError, type ErrorKind, Forbidden, FormInvalid, NotFound } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { errorRenderingOf } from '../error-body.ts';
import { type Answer, html, type JsonResponse } from './answer.ts';
import { type Client, clientOf, type RouteCaller, type StreamedBody, streamedBodyOf } from './client.ts';
import {
  type Fields,
  parseFields,
  type RawFields,
  readFields,
  type SubmittedText,
  submittedText,
  textOf,
  type Values,
} from './form.ts';
import { ReauthenticationRequired } from './guard-errors.ts';

/** Who may use a route. `link holder`: anyone who has the unguessable part of the address. */
export type Role =
  | 'public'
  | 'link holder'
  | 'signed in'
  | 'tester'
  | 'developer'
  | 'owner team'
  | 'workspace member'
  | 'workspace owner'
  | 'administrator';
export type Credential = 'session' | 'key' | 'key in form' | 'link';

/** Decides who may call a route, and loads its subject. */
export interface Access<Params, Caller extends RouteCaller, Subject> {
  /** Facts for the permission test and the docs; `identify` and `authorize` enforce them. */
  roles: readonly Role[];
  credentials: readonly Credential[];
  /**
   * The response to an identified caller without any of the roles: 404, 403, or 400 where the API contract requires
   * it.
   */
  others: 'missing' | 'forbidden' | 'invalid';
  /** The response to an anonymous caller; without it, a redirect to sign in, or 401 under /api. */
  anonymous?: 'missing';
  /** Throws `SignInRequired` for a page, `unauthenticated` for the API. */
  identify(request: FastifyRequest): Promise<Caller>;
  /**
   * Returns the subject, or throws `NotFound` or `Forbidden`. Declared as a property: methods are compared bivariantly, and
   * a path that lacks a parameter would compile.
   */
  authorize: (caller: Caller, params: Params, request: FastifyRequest) => Promise<Subject>;
}

/** Shared by all nodes. Of forms, counts only valid ones. */
export interface RateLimit {
  name: string;
  limit: number;
  windowMs: number;
  per: 'caller' | 'network';
  /** Shown to the caller. */
  refusal: string;
  /** How many attempts the values of the form count as; one by default. */
  weigh?: (form: Readonly<Record<string, unknown>>) => number;
}

/** What the route layer needs from the features that own sessions, proofs and counters. */
export interface Guards {
  originOf(request: FastifyRequest): string;
  frameOf(request: FastifyRequest, caller: RouteCaller): PageFrame;
  /** Throws `Forbidden` when Origin or Sec-Fetch-Site say that another site sent the form. */
  checkFormOrigin(request: FastifyRequest): void;
  /** Throws `Forbidden` when the token belongs to another session or browser. */
  checkFormToken(request: FastifyRequest, caller: RouteCaller, token: string): void;
  /** Whether the caller proved their identity within the last ten minutes, or does so with `proof`. Throws `TooManyRequests`. */
  hasRecentAuthentication(caller: RouteCaller, proof: string): Promise<boolean>;
  /** Throws `TooManyRequests`. */
  count(limit: RateLimit, request: FastifyRequest, caller: RouteCaller, weight: number): Promise<void>;
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? NameOf<Name> | ParamNames<More>
    : NameOf<Rest>
  : never;
/** `:owner.csv`: an ending that is part of the path. */
type NameOf<Text extends string> = Text extends `${infer Name}.${string}` ? Name : Text;
type Params<Path extends string, P> = {
  [Name in ParamNames<Path>]: P extends Record<Name, v.GenericSchema<string, infer Value>> ? Value : string;
};

/** The input of every handler: the caller, the subject, the client, and what a page needs. */
export interface RouteContext<Caller = unknown, Subject = unknown> {
  caller: Caller;
  subject: Subject;
  client: Client;
  /** What every page needs besides its own content. */
  readonly frame: PageFrame;
  /** Identifies the caller and checks access again, for answers that stay open. Throws what the route would throw. */
  reauthorize(): Promise<void>;
}

export interface Input<Params, Q extends Fields, H extends Fields, F extends Fields, Caller, Subject>
  extends RouteContext<Caller, Subject> {
  params: Params;
  query: Values<Q>;
  headers: Values<H>;
  form: Values<F>;
}

type ResponseSchema = v.GenericSchema<object> | undefined;

/** Everything in a declaration that tests and documents read. */
export interface RouteFacts {
  method: 'GET' | 'POST';
  path: string;
  /** As a verb phrase: "Revoke an API key". */
  summary: string;
  /** Additional text for the OpenAPI document. */
  description?: string;
  access: Pick<Access<never, never, unknown>, 'roles' | 'credentials' | 'others' | 'anonymous'>;
  /** The scope that a key needs, or several of which one is enough; required for every route that accepts keys. */
  keyScope?: KeyScope | readonly KeyScope[];
  /** The page that contains the form. Sign-in and a reload redirect there; required of forms for signed-in people. */
  page?: string;
  /** Whether the caller must have proved their identity within the last ten minutes; required of every form. */
  reauthentication?: boolean;
  rateLimit?: RateLimit;
  /** Why the form carries no form token and may come from another site. */
  csrfExempt?: string;
  /** Nearly free: exempt from request limits. */
  rateLimitExempt?: boolean;
  /** The answer stays open for events: no minimum transfer rate applies, and once open it is no concurrent request. */
  eventStream?: boolean;
  maxBodyBytes?: number;
  /** The handler reads the body itself, as it arrives. `describes`: its parts, in JSON Schema. */
  streamedBody?: { describes: object };
  /** Section of the OpenAPI document; routes without one are not part of it. */
  tag?: string;
  params?: Fields;
  query?: Fields;
  headers?: Fields;
  form?: Fields;
  answer?: ResponseSchema;
  /** Bodies of errors that don't have the usual shape, by status, in JSON Schema. */
  refusals?: Readonly<Record<number, object>>;
}

interface Declaration<
  Path extends string,
  P extends Fields,
  Q extends Fields,
  H extends Fields,
  F extends Fields,
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
  answer?: A;
  streamedBody?: S;
  handle(
    input: Input<Params<Path, P>, Q, H, F, Caller, Subject> & {
      body: S extends object ? StreamedBody : null;
    },
  ): Promise<A extends v.GenericSchema ? JsonResponse<v.InferOutput<A>> : Answer>;
  /** Renders the page again, with the typed values and their errors. */
  renderErrors?(
    refusal: RejectedForm<F>,
    input: Omit<Input<Params<Path, P>, Q, H, F, Caller, Subject>, 'form'>,
  ): Promise<string>;
  /** Kinds of errors besides invalid fields that `renderErrors` shows. */
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

/** A declaration with its types closed over. `begin` checks the head of a request and returns the remaining steps. */
export interface Route extends RouteFacts {
  /** Only `defineRoute` sets it: an object that merely looks like a route enforces nothing. */
  readonly [defined]: true;
  begin(request: FastifyRequest, guards: Guards): Promise<Proceed>;
}

/** Called once the body, unless it is streamed, has been parsed. `sendContinue`: lets a waiting client send its body. */
export type Proceed = (reply: FastifyReply, sendContinue: () => void) => Promise<Answer>;

/** Closes a declaration over its types. The order of enforcement is the order of the statements below. */
export function defineRoute<
  const Path extends string,
  Caller extends RouteCaller,
  Subject,
  P extends Fields = Record<never, never>,
  Q extends Fields = Record<never, never>,
  H extends Fields = Record<never, never>,
  F extends Fields = Record<never, never>,
  A extends ResponseSchema = undefined,
  S extends RouteFacts['streamedBody'] = undefined,
>(route: Declaration<Path, P, Q, H, F, A, S, Caller, Subject>): Route {
  const paramsSchema = v.looseObject(route.params ?? {});
  const headersSchema = v.object((route.headers ?? {}) as H);
  const querySchema = v.object((route.query ?? {}) as Q);
  const formSchema = v.object((route.form ?? {}) as F);
  return {
    ...route,
    [defined]: true,
    begin: async (request, guards) => {
      const parsedParams = v.safeParse(paramsSchema, request.params);
      const caller = callerInScope(route, await route.access.identify(request));
      // After the caller: 401 comes before 404.
      if (!parsedParams.success) throw new NotFound();
      const params = parsedParams.output as Params<Path, P>;
      if (route.method === 'POST' && route.csrfExempt === undefined) guards.checkFormOrigin(request);
      const subject = await route.access.authorize(caller, params, request);
      const headers = parseFields(headersSchema, request.headers);
      const query = parseFields(querySchema, request.query as Record<string, unknown>);
      const context = {
        caller,
        subject,
        params,
        query,
        headers,
        client: clientOf(request, guards.originOf),
        reauthorize: async () => {
          const again = callerInScope(route, await route.access.identify(request));
          await route.access.authorize(again, params, request);
        },
        get frame() {
          return guards.frameOf(request, caller);
        },
      };
      return async (reply, sendContinue) => {
        let isTokenChecked = route.csrfExempt !== undefined || route.method === 'GET';
        const checkFormToken = (token: string) => {
          guards.checkFormToken(request, caller, token);
          isTokenChecked = true;
        };
        let areScopesChecked = caller !== null && caller.keyScopes !== undefined;
        const checkKeyScopes = (scopes: readonly KeyScope[]) => {
          requireScope(route, scopes);
          areScopesChecked = true;
        };
        const body = (
          route.streamedBody
            ? streamedBodyOf(request, reply, { accept: sendContinue, checkFormToken, checkKeyScopes })
            : null
        ) as S extends object ? StreamedBody : null;
        const run = (form: Values<F>) => route.handle(Object.assign(context, { form, body }));
        if (!route.form) {
          if (route.rateLimit) await guards.count(route.rateLimit, request, caller, 1);
          const answer = await run({} as Values<F>);
          if (!isTokenChecked) throw new Error(`${route.path} has not checked the form token of its body`);
          if (route.access.credentials.includes('key in form') && !areScopesChecked)
            throw new Error(`${route.path} has not checked the scopes of the key in its body`);
          return answer;
        }
        const fields = readFields(request.body, route.form);
        if (!isTokenChecked) checkFormToken(textOf(fields, 'csrf'));
        if (route.reauthentication) await requireRecentProof(guards, caller, { fields, form: route.form });
        try {
          const form = parseFields(formSchema, fields);
          if (route.rateLimit) {
            const weight = route.rateLimit.weigh?.(form) ?? 1;
            await guards.count(route.rateLimit, request, caller, weight);
          }
          return await run(form);
        } catch (error) {
          const isShown =
            error instanceof FormInvalid ||
            (error instanceof AppError && route.renderedErrorKinds?.includes(error.kind));
          if (!isShown || !route.renderErrors) throw error;
          const errors = error instanceof FormInvalid ? error.errors : {};
          const page = await route.renderErrors(
            { submitted: submittedText(route.form, fields), errors, error },
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

/**
 * A session permits everything that its person may do; a key only what its scopes say. Where everyone may call, or everyone
 * who has the link, a key without the scope counts as nobody: access rules of such routes accept null.
 */
function callerInScope<Caller extends RouteCaller>(route: RouteFacts, caller: Caller): Caller {
  if (!caller?.keyScopes || isInScope(route, caller.keyScopes)) return caller;
  if (route.access.roles.every((role) => role === 'public' || role === 'link holder')) return null as Caller;
  requireScope(route, caller.keyScopes);
  return caller;
}

export const scopesOf = ({ keyScope }: RouteFacts): KeyScope[] =>
  keyScope === undefined ? [] : [keyScope].flat();

const isInScope = (route: RouteFacts, scopes: readonly KeyScope[]) =>
  route.keyScope === undefined || scopesOf(route).some((scope) => scopes.includes(scope));

function requireScope(route: RouteFacts, scopes: readonly KeyScope[]): void {
  if (!isInScope(route, scopes))
    throw new Forbidden(`the key does not have the scope ${scopesOf(route).join(' or ')}`);
}

async function requireRecentProof(
  guards: Guards,
  caller: RouteCaller,
  { fields, form }: { fields: RawFields; form: Fields },
): Promise<void> {
  const proof = textOf(fields, 'proof');
  if (await guards.hasRecentAuthentication(caller, proof)) return;
  // Undeclared fields are not echoed into the page.
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(form, name));
  throw new ReauthenticationRequired({
    caller,
    fields: kept.flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const)),
    wrong: proof !== '',
  });
}
