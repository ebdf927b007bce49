import { snakeName } from '../../core/json-shapes.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspacePoliciesPath } from '../../owners/owner-paths.ts';
import type { PolicyJsonName } from '../../owners/policies/policies.ts';
import { policyTexts } from '../../owners/policies/policy-texts.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { renderWorkspaceArea } from '../workspaces/workspace-area.tsx';
import type { PolicyReview } from './policy-review.ts';
import type { ListedViolation } from './policy-violation.ts';

const t = policyTexts;
const pageSize = 100;

export function renderPolicyReview(props: {
  frame: PageFrame;
  workspace: Workspace;
  submitted: Record<PolicyJsonName, string>;
  review: PolicyReview;
  page: number;
}): string {
  const { frame, workspace, submitted, review, page } = props;
  const path = workspacePoliciesPath(workspace.name);
  const from = (page - 1) * pageSize;
  const shown = review.violations.slice(from, from + pageSize);
  const linkTo = (number: number) =>
    `${path}/review?${new URLSearchParams({ ...submitted, page: String(number) })}`;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'policies',
    title: t.reviewTitle,
    line: review.violations.length === 0 ? t.noViolations : t.reviewLine,
    children: (
      <>
        <div class="stack">
          {review.counts.map(({ policy, count, more }) => (
            <section key={policy} aria-labelledby={policy}>
              <h2 id={policy}>{t.labels[policy]}</h2>
              <p class="lead-hint">
                <strong>{t.counts({ count })}</strong>
                {count > 0 && <span class="secondary"> {t.violations[policy]}</span>}
                {more > 0 && <span class="secondary"> {t.more({ limit: count - more, more })}</span>}
              </p>
              <Violations of={shown.filter((violation) => violation.policy === policy)} />
            </section>
          ))}
        </div>
        <Paging
          links={{
            newer: page > 1 ? linkTo(page - 1) : null,
            older: review.violations.length > from + pageSize ? linkTo(page + 1) : null,
          }}
          label={t.paging}
          byName
        />
        <PostForm frame={frame} action={`${path}/save`}>
          {(Object.keys(submitted) as PolicyJsonName[]).map((name) => (
            <input key={name} type="hidden" name={name} value={submitted[name]} />
          ))}
          <p class="actions">
            <SubmitButton label={t.save} tone="primary" />
            <a class="button" href={`${path}?${new URLSearchParams(submitted)}`}>
              {t.back}
            </a>
          </p>
        </PostForm>
      </>
    ),
  });
}

function Violations({ of }: { of: readonly ListedViolation[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="link-list">
      {of.map(({ policy, kind, name, place }, at) => (
        <li class="person" key={`${snakeName(policy)} ${at}`}>
          <span>
            <bdi class="strong">{name}</bdi>
            {place !== null && (
              <span class="fine secondary">
                {' '}
                <bdi>{place}</bdi>
              </span>
            )}
          </span>
          <span class="fine secondary">{t.kinds[kind]}</span>
        </li>
      ))}
    </ul>
  );
}
