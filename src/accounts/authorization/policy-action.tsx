import type { ComponentChildren } from 'preact';
import { type AppError, PolicyRefused } from '../../core/errors.ts';
import { policyTexts } from '../../owners/policies/policy-texts.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { securityPath } from '../profile/account-paths.ts';

/** What the person can do at once about a policy that refuses them; nothing for other errors. */
export function policyAction(
  frame: PageFrame,
  error: AppError | null,
): { action?: ComponentChildren; advice?: string } {
  if (!(error instanceof PolicyRefused)) return {};
  const advice = policyTexts.advice;
  if (error.policy === 'second_factor')
    return {
      advice,
      action: (
        <p class="actions">
          <a class="button button-primary" href={securityPath('/')}>
            {policyTexts.actions.secondFactor}
          </a>
        </p>
      ),
    };
  if (error.policy !== 'session_hours') return { advice };
  return {
    advice,
    action: (
      <PostForm frame={frame} action={sitePaths.signOut}>
        <p class="actions">
          <SubmitButton label={policyTexts.actions.sessionHours} tone="primary" />
        </p>
      </PostForm>
    ),
  };
}
