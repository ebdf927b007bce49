/** The API documentation, rendered from the OpenAPI document, so that the two cannot differ. */
import { Badge } from '../components/callout.tsx';
import { CodeBlock } from '../components/code-block.tsx';
import { renderPage } from '../shell/layout.tsx';
import type { PageFrame } from '../shell/page-frame.ts';
import { texts } from '../shell/texts.ts';
import { curlExample } from './curl-example.ts';
import {
  type ApiDocument,
  type ApiField,
  type ApiGroup,
  type ApiOperation,
  type ApiResponse,
  type ApiSchema,
  readOpenApi,
} from './open-api.ts';

export interface ApiDocsPageProps {
  frame: PageFrame;
  /** An OpenAPI 3.1 document that does not change. */
  document: object;
  /** Address of the OpenAPI document for tools. */
  documentAddress: string;
}

const t = texts.apiDocs;

export function renderApiDocsPage({ frame, document, documentAddress }: ApiDocsPageProps): string {
  const api = readOnce(document);
  return renderPage({
    frame,
    title: api.title || t.title,
    description: api.description || undefined,
    noIndex: false,
    children: (
      <div class="docs-columns">
        <div class="docs-head">
          <h1 id="api">
            {api.title || t.title} <span class="secondary">{api.version}</span>
          </h1>
          {api.description && <p class="prose lead">{api.description}</p>}
          <Filter />
        </div>
        <Contents api={api} />
        <div class="docs">
          <Introduction api={api} origin={frame.origin} documentAddress={documentAddress} />
          {api.groups.map((group) => (
            <Group key={group.name} group={group} frame={frame} />
          ))}
          <Codes api={api} />
          <Schemas api={api} />
        </div>
      </div>
    ),
  });
}

const known = new WeakMap<object, Map<string, ApiDocument>>();

/** Reading takes as long as rendering. The name of the group without a name depends on the language. */
function readOnce(document: object): ApiDocument {
  const byName = known.get(document) ?? new Map<string, ApiDocument>();
  known.set(document, byName);
  const api = byName.get(t.otherGroup) ?? readOpenApi(document, t.otherGroup);
  byName.set(t.otherGroup, api);
  return api;
}

/** Folded up in narrow windows, where the content should not be far away. */
function Contents({ api }: { api: ApiDocument }) {
  return (
    <nav class="contents" aria-label={t.contents}>
      <details>
        <summary>{t.contents}</summary>
        <ul class="contents-list">
          {api.groups.map((group) => (
            <li key={group.name}>
              <a href={`#group-${anchor(group.name)}`}>{group.name}</a>
            </li>
          ))}
          {api.codes.length > 0 && (
            <li>
              <a href="#codes">{t.codes}</a>
            </li>
          )}
          {api.schemas.length > 0 && (
            <li>
              <a href="#schemas">{t.schemas}</a>
            </li>
          )}
        </ul>
      </details>
    </nav>
  );
}

/** Requires scripts, which show it in the space reserved for it. */
function Filter() {
  return (
    <p class="docs-filter" data-filters=".operation" data-none={t.noneFound} inert>
      <label class="unseen" for="filter">
        {t.filter}
      </label>
      <input id="filter" type="search" placeholder={t.filter} autocomplete="off" spellcheck={false} />
      <span class="secondary fine" role="status" />
    </p>
  );
}

function Introduction(props: { api: ApiDocument; origin: string; documentAddress: string }) {
  const { api } = props;
  return (
    <section aria-labelledby="base">
      <h2 id="base">{t.baseAddress}</h2>
      <CodeBlock text={props.origin} label={t.baseAddress} />
      {api.securitySchemes.length > 0 && <h2>{t.authentication}</h2>}
      {api.securitySchemes.map((scheme) => (
        <p class="prose" key={scheme.name}>
          {scheme.description || scheme.name}
        </p>
      ))}
      <p class="kind">
        <a href={props.documentAddress}>{t.source}</a>
      </p>
    </section>
  );
}

function Group({ group, frame }: { group: ApiGroup; frame: PageFrame }) {
  const id = `group-${anchor(group.name)}`;
  return (
    <section class="docs-group" aria-labelledby={id}>
      <h2 id={id}>{group.name}</h2>
      {group.description && <p class="prose">{group.description}</p>}
      {group.operations.map((operation) => (
        <Operation key={operation.id} operation={operation} frame={frame} />
      ))}
    </section>
  );
}

function Operation({ operation, frame }: { operation: ApiOperation; frame: PageFrame }) {
  const name = operation.summary || `${operation.method} ${operation.path}`;
  return (
    <details class="operation">
      <summary>
        <h3>{name}</h3>
        <span class="endpoint">
          <code>
            <span class="method">{operation.method}</span> {operation.path}
          </code>
          {operation.deprecated && <Badge tone="warning">{t.deprecated}</Badge>}
          {!operation.needsKey && <Badge>{t.noKey}</Badge>}
        </span>
      </summary>
      <div id={operation.id}>
        {operation.description && <p class="prose">{operation.description}</p>}
        <CodeBlock
          text={curlExample(operation, frame.origin, frame.viewer?.name ?? null)}
          label={t.curl({ operation: name })}
        />
        {operation.parameters.length > 0 && <h4>{t.parameters}</h4>}
        <Fields fields={operation.parameters} />
        {operation.body && (
          <>
            <h4>
              {t.requestBody} <code class="machine secondary">{operation.body.contentType}</code>
            </h4>
            <Shape schema={operation.body.schema} />
          </>
        )}
        {operation.responses.length > 0 && <h4>{t.responses}</h4>}
        {operation.responses.filter(isNoProblem).map((response) => (
          <Response
            key={response.status}
            response={response}
            operation={name}
            sameAs={
              operation.responses.find((other) => isSameResponse(response, other))?.status ?? response.status
            }
          />
        ))}
        <Problems responses={operation.responses.filter((response) => !isNoProblem(response))} />
      </div>
    </details>
  );
}

const isNoProblem = ({ contentType }: ApiResponse) => contentType !== 'application/problem+json';

/** Responses for errors, which all have the same format, on one line. */
function Problems({ responses }: { responses: readonly ApiResponse[] }) {
  if (responses.length === 0) return null;
  return (
    <p class="response">
      {responses.map(({ status }) => (
        <>
          <Badge key={status}>{status}</Badge>{' '}
        </>
      ))}
      <a class="secondary" href="#codes">
        {t.problems}
      </a>
    </p>
  );
}

/** Whether two responses differ only in status and description. */
function isSameResponse(one: ApiResponse, other: ApiResponse): boolean {
  const shape = ({ schema, example }: ApiResponse) => JSON.stringify([schema, example]);
  return shape(one) === shape(other);
}

/** `sameAs`: status of an earlier response with the same fields, which are only shown there. */
function Response(props: { response: ApiResponse; operation: string; sameAs: string }) {
  const { response, operation, sameAs } = props;
  const success = response.status.startsWith('2');
  const { example } = response;
  if (sameAs !== response.status) {
    return (
      <p class="response">
        <Badge tone={success ? 'good' : 'plain'}>{response.status}</Badge> {response.description}{' '}
        <span class="secondary">{t.sameFields({ status: sameAs })}</span>
      </p>
    );
  }
  return (
    <details class="response" open={success}>
      <summary>
        <Badge tone={success ? 'good' : 'plain'}>{response.status}</Badge> {response.description}
      </summary>
      {response.schema && <Shape schema={response.schema} />}
      {example !== undefined && (
        <details>
          <summary>{t.example}</summary>
          <CodeBlock
            text={typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
            label={t.exampleLabel({ status: response.status, operation })}
          />
        </details>
      )}
    </details>
  );
}

/** The fields of a schema; its type if it has none. */
function Shape({ schema }: { schema: ApiSchema }) {
  if (schema.fields.length > 0) return <Fields fields={schema.fields} />;
  return (
    <p class="fine">
      <Type schema={schema} />
    </p>
  );
}

function Fields({ fields }: { fields: readonly (ApiField & { place?: string })[] }) {
  if (fields.length === 0) return null;
  return (
    <dl class="fields">
      {fields.map((field) => (
        <div key={`${field.place} ${field.name}`}>
          <dt>
            <code>{field.name}</code>
            <span class="secondary">
              <Type schema={field.schema} />
              {field.place ? ` · ${field.place}` : ''}
            </span>
            {field.required && <Badge>{t.required}</Badge>}
          </dt>
          <dd>
            {field.description && <p>{field.description}</p>}
            <Fields fields={field.schema.fields} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Type({ schema }: { schema: ApiSchema }) {
  if (schema.reference) return <a href={`#schema-${anchor(schema.reference)}`}>{schema.type}</a>;
  return <>{schema.type}</>;
}

function Codes({ api }: { api: ApiDocument }) {
  if (api.codes.length === 0) return null;
  return (
    <section class="docs-group" aria-labelledby="codes">
      <h2 id="codes">{t.codes}</h2>
      <dl class="fields">
        {api.codes.map(({ code, meaning }) => (
          <div key={code} id={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>
              <p>{meaning}</p>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Schemas({ api }: { api: ApiDocument }) {
  if (api.schemas.length === 0) return null;
  return (
    <section class="docs-group" aria-labelledby="schemas">
      <h2 id="schemas">{t.schemas}</h2>
      {api.schemas.map(({ name, schema }) => (
        <section class="operation" id={`schema-${anchor(name)}`} key={name}>
          <h3>{name}</h3>
          {schema.description && <p class="prose">{schema.description}</p>}
          <Shape schema={schema} />
        </section>
      ))}
    </section>
  );
}

function anchor(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '-');
}
