/** The results of the doctor, for administrators. Works without scripts, because its button is a form. */
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { renderAdministration } from '../../web/shell/administration-frame.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import type { CheckState, DoctorCheck } from './doctor-check.ts';
import { doctorSummary } from './doctor-summary.ts';
import { doctorTexts } from './doctor-texts.ts';

export interface DoctorPageProps {
  frame: PageFrame;
  /** Null if the checks have not run since the start. */
  checks: readonly DoctorCheck[] | null;
}

const tones: Record<CheckState, Tone> = {
  ok: 'good',
  warning: 'warning',
  problem: 'danger',
  skipped: 'plain',
};

export function renderDoctorPage(props: DoctorPageProps): string {
  const { frame, checks } = props;
  return renderAdministration({
    frame,
    part: 'doctor',
    ...(checks ? {} : { line: doctorTexts.lead }),
    children: (
      <div class="doctor one-column">
        {checks && <Findings {...props} checks={checks} />}
        <RunForm {...props} />
        <section>
          <h2>{doctorTexts.command}</h2>
          <CodeBlock text="slipway doctor" label={doctorTexts.command} />
        </section>
      </div>
    ),
  });
}

function Findings({ frame, checks }: { frame: PageFrame; checks: readonly DoctorCheck[] }) {
  return (
    <section aria-labelledby="results">
      <h2 id="results">{doctorTexts.results}</h2>
      <p class="lead" role="status">
        {doctorSummary(checks)}
      </p>
      <p class="secondary fine">{doctorTexts.checkedAt({ time: timeOf(frame.now, frame.now, true) })}</p>
      <ul class="link-list doctor-checks">
        {checks.map((check) => (
          <li key={check.id} id={check.id}>
            <span class="line">
              <strong>{check.title}</strong>{' '}
              <Badge tone={tones[check.state]}>{doctorTexts.states[check.state]}</Badge>
            </span>
            <span class="secondary" dir="auto">
              {check.found}
            </span>
            {check.advice && <span dir="auto">{check.advice}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function RunForm({ frame, checks }: DoctorPageProps) {
  return (
    <PostForm frame={frame} action={`${sitePaths.doctor}/run`}>
      <SubmitButton label={checks ? doctorTexts.runAgain : doctorTexts.run} tone="primary" />
      <p class="secondary fine">{doctorTexts.takes}</p>
    </PostForm>
  );
}
