/** What a route declares, and what enforces it. Tests and documents are generated from `RouteFacts`. */
import type { FastifyRequest } from 'fastify';
import type * as v from 'valibot';
import type { KeyScope } from '../../core/key-scope.ts';
import type { LimitRefusal } from '../../core/limit-refusal.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { Answer } from './answer.ts';
import type { RouteCaller } from './client.ts';
import type { Fields } from './form.ts';

/** Who may use a route. `link holder`: anyone who has the unguessable part of the address. */
export type Role =
  | 'public'
  | 'link holder'
  | 'signed in'
  | 'key holder'
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
  /** The key of a Project receives 403 with the code `user_key_required`. */
  usersOnly?: true;
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

/** Shared by all nodes. Of forms, counts only valid ones; of bodies that are streamed, those with the token of the form. */
export interface RateLimit {
  name: string;
  limit: number;
  windowMs: number;
  /** `caller or network`: the network only of anonymous callers. */
  per: 'caller' | 'network' | 'caller or network';
  /** Networks are counted separately for each value of this path parameter. */
  within?: string;
  refusal: LimitRefusal;
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
  /**
   * Runs a POST of the API once per credential and `Idempotency-Key`; without one, always. A repetition gets the first answer. Throws
   * `conflict` while the first is unanswered, and for another body.
   */
  once(
    request: FastifyRequest,
    caller: RouteCaller,
    body: unknown,
    run: () => Promise<Answer>,
  ): Promise<Answer>;
  /** Throws `precondition_failed` while another change of the resource runs. */
  exclusively<Result>(resource: string, run: () => Promise<Result>): Promise<Result>;
  /** Throws `TooManyRequests`. */
  count(limit: RateLimit, request: FastifyRequest, caller: RouteCaller, weight: number): Promise<void>;
  /** Runs a request, and uncounts what it counted if something that it needs is unavailable. */
  refundUnserved(run: () => Promise<Answer | undefined>): Promise<Answer | undefined>;
  /** Counts text of the caller in bytes. Throws `TooManyRequests`. */
  countText(caller: RouteCaller, bytes: number): Promise<void>;
}

export type ResponseSchema = v.GenericSchema<object> | undefined;

/** Everything in a declaration that tests and documents read. */
export interface RouteFacts {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /**
   * Makes the route an operation of `/api/v1`, named for generated clients: errors are problem details, unknown fields and parameters
   * are refused, answers have an ETag, changes honor `If-Match` and POST `Idempotency-Key`.
   */
  operationId?: string;
  /** As a verb phrase: "Revoke an API key". */
  summary: string;
  /** Additional text for the OpenAPI document. */
  description?: string;
  access: Pick<Access<never, never, unknown>, 'roles' | 'credentials' | 'others' | 'anonymous' | 'usersOnly'>;
  /** The scope that a key needs, or several of which one is enough; required for every route that accepts keys. */
  keyScope?: KeyScope | readonly KeyScope[];
  /** The page that contains the form. Sign-in and a reload redirect there; required of forms for signed-in people. */
  page?: string;
  /** Whether the caller must have proved their identity within the last ten minutes; required of every form. */
  reauthentication?: boolean;
  /**
   * Path of the form that asks for the proof, for a streamed body that requires re-authentication: a browser cannot send a file
   * again by itself.
   */
  confirmation?: string;
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
  /** The fields of `form` may come in any way that existing clients send them, see `http/loose-form.ts`. Never with a session. */
  looseForm?: true;
  /** Fields of a JSON body. */
  json?: Fields;
  /** Status of a successful operation; 200 by default, or 204 without an `answer`. */
  status?: 200 | 201 | 202;
  answer?: ResponseSchema;
  /** Bodies of errors that don't have the usual shape, by status, in JSON Schema. */
  refusals?: Readonly<Record<number, object>>;
}
