/** The first steps of an administrator, on the start page while there are no apps. */
import { newProjectPath } from '../../owners/owner-paths.ts';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { appTexts } from '../app-texts.ts';

/** A finding of the doctor. */
export interface SetupCheck {
  id: string;
  state: 'ok' | 'warning' | 'problem' | 'skipped';
  /** One sentence each. */
  found: string;
  advice: string | null;
}

export interface SetupStatus {
  /** The last run of the doctor since the server started; null if there was none. */
  doctor: { at: number; checks: readonly SetupCheck[] } | null;
  hasProject: boolean;
  /** Whether there is another person or an open invitation. */
  hasPeople: boolean;
}

type StepState = 'done' | 'warning' | 'open';

interface Step {
  title: string;
  state: StepState;
  line: string;
  action: { label: string; address: string } | null;
  /** Whether the step offers a test email when it is done. */
  sendsTest?: boolean;
}

const t = appTexts.setup;

export function SetupChecklist({ frame, status }: { frame: PageFrame; status: SetupStatus }) {
  const steps = setupSteps(status);
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <section aria-labelledby="setup">
      <div class="section-head">
        <h2 id="setup">{t.title}</h2>
        <span class="soft fine">{t.progress({ done, all: steps.length })}</span>
      </div>
      <div class="panel">
        <ol class="setup-steps">
          {steps.map((step, index) => (
            <SetupStep key={step.title} frame={frame} step={step} number={index + 1} />
          ))}
        </ol>
        <PostForm frame={frame} class="panel-foot" action={`${sitePaths.doctor}/run`}>
          <input type="hidden" name="to" value="home" />
          <span>
            {status.doctor ? t.checked({ time: timeOf(status.doctor.at, frame.now) }) : t.notChecked}
          </span>
          <SubmitButton label={status.doctor ? t.checkAgain : t.check} tone="quiet" />
        </PostForm>
      </div>
    </section>
  );
}

function SetupStep({ frame, step, number }: { frame: PageFrame; step: Step; number: number }) {
  return (
    <li>
      <span class={step.state === 'open' ? 'step' : `step step-${step.state}`}>
        {step.state === 'open' ? number : <Glyph name={step.state === 'done' ? 'check' : 'warning'} />}
        <span class="unseen">{t.states[step.state]}</span>
      </span>
      <h3>{step.title}</h3>
      <p class="soft fine">{step.line}</p>
      {step.action && step.state !== 'done' && (
        <p class="actions">
          <a class="button" href={step.action.address}>
            {step.action.label}
          </a>
        </p>
      )}
      {step.sendsTest && step.state === 'done' && (
        <PostForm frame={frame} class="actions" action={sitePaths.sendTestEmail}>
          <input type="hidden" name="to" value="home" />
          <SubmitButton label={t.sendTest} />
        </PostForm>
      )}
    </li>
  );
}

/** In the order in which people need the steps. Pure. */
export function setupSteps({ doctor, hasProject, hasPeople }: SetupStatus): Step[] {
  const checks = doctor?.checks ?? null;
  const details = { label: t.details, address: sitePaths.doctor };
  return [
    { title: t.address, ...stepOf(checks, ['https', 'certificate', 'address']), action: checks && details },
    { title: t.mail, ...stepOf(checks, ['mail']), action: checks && details, sendsTest: true },
    {
      title: t.project,
      state: hasProject ? 'done' : 'open',
      line: hasProject ? t.projectDone : t.projectLine,
      action: { label: t.newProject, address: newProjectPath },
    },
    {
      title: t.people,
      state: hasPeople ? 'done' : 'open',
      line: hasPeople ? t.peopleDone : t.peopleLine,
      action: { label: t.invite, address: sitePaths.invitations },
    },
  ];
}

/** The worst finding decides. A check that could not run counts as not done. */
function stepOf(
  checks: readonly SetupCheck[] | null,
  ids: readonly string[],
): { state: StepState; line: string } {
  const found = checks?.filter(({ id }) => ids.includes(id)) ?? [];
  if (found.length === 0) return { state: 'open', line: t.unknown };
  const bad =
    found.find(({ state }) => state === 'problem') ?? found.find(({ state }) => state === 'warning');
  if (bad)
    return { state: 'warning', line: joinSentences(bad.advice ? [bad.found, bad.advice] : [bad.found]) };
  const ok = found.find(({ state }) => state === 'ok');
  return ok ? { state: 'done', line: ok.found } : { state: 'open', line: found[0]?.found ?? t.unknown };
}
