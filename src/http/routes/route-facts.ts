/** The declaration of a route, and the interfaces that enforce it. Tests and documents are generated from `RouteFacts`. */
import type { FastifyRequest } from 'fastify';
import type * as v from 'valibot';
import type { AppError } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { LimitRefusal } from '../../core/limit-refusal.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { WatchAccess } from '../sending/access-watch.ts';
import type { Answer } from './answer.ts';
import type { RouteCaller } from './client.ts';
import type { Fields } from './form.ts';

/** The callers of a route. `link holder`: anyone with the unguessable part of the address. */
export type Role =
  | 'public'
  | 'link holder'
  | 'signed in'
  | 'key holder'
  | 'tester'
  | 'developer'
  | 'owner team'
  | 'group manager'
  | 'workspace guest'
  | 'workspace member'
  | 'workspace owner'
  | 'directory'
  | 'administrator';
export type Credential = 'session' | 'key' | 'key in form' | 'link' | 'SCIM token';

/** Determines who may call a route, and loads its subject. */
export interface Access<Params, Caller extends RouteCaller, Subject> {
  /** Facts for the permission test and the docs, enforced by `identify` and `authorize`. */
  roles: readonly Role[];
  credentials: readonly Credential[];
  /** The response to an identified caller without any of the roles: 404, 403, or 400 where the API contract requires it. */
  others: 'missing' | 'forbidden' | 'invalid';
  /** Auditors may call every other route that only reads and that the owner team or developers may call. */
  hiddenFromAuditors?: true;
  /** The key of a Project gets 403 with the code `user_key_required`. */
  usersOnly?: true;
  /** The response to an anonymous caller. Without it, a redirect to sign in, or 401 under /api. */
  anonymous?: 'missing';
  /** Throws `SignInRequired` for a page, and `unauthenticated` for the API. */
  identify(request: FastifyRequest): Promise<Caller>;
  /**
   * Returns the subject, or throws `NotFound` or `Forbidden`. A property, because methods are compared bivariantly, and a path
   * without a required parameter would compile.
   */
  authorize: (caller: Caller, params: Params, request: FastifyRequest) => Promise<Subject>;
}

/** Derives the same access rule for another subject. */
export function withSubject<Params, Caller extends RouteCaller, Given, Subject>(
  access: Access<Params, Caller, Given>,
  subjectOf: (given: Given) => Promise<Subject>,
): Access<Params, Caller, Subject> {
  return { ...access, authorize: async (...context) => subjectOf(await access.authorize(...context)) };
}

/** A limit shared by all nodes. Counts only valid forms, and only streamed bodies with the token of the form. */
export interface RateLimit {
  name: string;
  limit: number;
  windowMs: number;
  /** `caller or network`: the network only for anonymous callers. */
  per: 'caller' | 'network' | 'caller or network';
  /** Networks are counted separately for each value of this path parameter. */
  within?: string;
  refusal: LimitRefusal;
  /** Returns how many attempts the values of the form count as; one by default. */
  weigh?: (form: Readonly<Record<string, unknown>>) => number;
}

/** Provided to the route layer by the features that own sessions, proofs and counters. */
export interface Guards {
  originOf(request: FastifyRequest): string;
  frameOf(request: FastifyRequest, caller: RouteCaller): PageFrame;
  /** Throws `Forbidden` if Origin or Sec-Fetch-Site state that another site sent the form. */
  checkFormOrigin(request: FastifyRequest): void;
  /** Throws `Forbidden` if the token belongs to another session or browser. */
  checkFormToken(request: FastifyRequest, caller: RouteCaller, token: string): void;
  /** Whether the caller has proved their identity within the last ten minutes, or does so with `proof`. Throws `TooManyRequests`. */
  hasRecentAuthentication(caller: RouteCaller, proof: string): Promise<boolean>;
  /**
   * Runs a POST of the API once per credential and `Idempotency-Key`; always if there is no key. A repetition gets the first
   * answer. Throws `conflict` until the first request is answered, and for a different body.
   */
  once(
    request: FastifyRequest,
    caller: RouteCaller,
    body: unknown,
    run: () => Promise<Answer>,
  ): Promise<Answer>;
  /** Throws `precondition_failed` while another change of the resource is running. */
  exclusively<Result>(resource: string, run: () => Promise<Result>): Promise<Result>;
  /** Checks the access to an answer until it ends. */
  watchAccess: WatchAccess;
  /** Throws `TooManyRequests`. */
  count(limit: RateLimit, request: FastifyRequest, caller: RouteCaller, weight: number): Promise<void>;
  /** Runs a request, and refunds what it counted if something that it needs is unavailable. */
  refundUnserved(run: () => Promise<Answer | undefined>): Promise<Answer | undefined>;
  /** Counts text of the caller in bytes. Throws `TooManyRequests`. */
  countText(caller: RouteCaller, bytes: number): Promise<void>;
}

export type ResponseSchema = v.GenericSchema<object> | undefined;

/** The parts of a declaration that tests and documents read. */
export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  path: string;
  /**
   * Makes the route an operation of `/api/v1`, with a name for generated clients: errors are problem details, unknown fields and
   * parameters are refused, answers have an ETag, changes honor `If-Match`, and POST honors `Idempotency-Key`.
   */
  operationId?: string;
  /** A verb phrase, such as "Revoke an API key". */
  summary: string;
  /** Additional text for the OpenAPI document. */
  description?: string;
  access: Pick<
    Access<never, never, unknown>,
    'roles' | 'credentials' | 'others' | 'anonymous' | 'usersOnly' | 'hiddenFromAuditors'
  >;
  /** The scope that a key needs, or several scopes, one of which is enough. Required for every route that accepts keys. */
  keyScope?: KeyScope | readonly KeyScope[];
  /** The page that contains the form, to which sign-in and a reload redirect. Required for forms for signed-in people. */
  page?: string;
  /** Whether the caller must have proved their identity within the last ten minutes. Required for every form. */
  reauthentication?: boolean;
  /** Path of the form that asks for the proof before a streamed body, because a browser cannot send a file again by itself. */
  confirmation?: string;
  rateLimit?: RateLimit;
  /** Why the form carries no form token and may come from another site. */
  csrfExempt?: string;
  /** Too cheap to count toward request limits. */
  rateLimitExempt?: boolean;
  /** The answer stays open for events: no minimum transfer rate applies, and it does not count as a concurrent request. */
  eventStream?: boolean;
  maxBodyBytes?: number;
  /** Headers of every answer, errors included. */
  answerHeaders?: Readonly<Record<string, string>>;
  /**
   * The handler reads the body itself while it arrives. `describes`: its parts, as JSON Schema. `mediaType`: multipart by default.
   */
  streamedBody?: { describes: object; mediaType?: string };
  /** Section of the OpenAPI document; routes without one are not part of it. */
  tag?: string;
  params?: Fields;
  query?: Fields;
  headers?: Fields;
  form?: Fields;
  /**
   * The fields of `form` may be sent in any way that existing clients use; see `http/loose-form.ts`. Never with a session. `body`:
   * but not in the query.
   */
  looseForm?: true | 'body';
  /** The fields of a JSON body. */
  json?: Fields;
  /** Status of a successful operation; by default 200, or 204 without an `answer`. */
  status?: 200 | 201 | 202;
  answer?: ResponseSchema;
  /** The body of every error, for an interface with another format. `error` is null for a bug, whose details stay in the log. */
  renderRefusal?: (error: AppError | null, message: string) => { type: string; text: string };
  /** Bodies of errors that do not have the usual format, by status, as JSON Schema. */
  refusals?: Readonly<Record<number, object>>;
}
