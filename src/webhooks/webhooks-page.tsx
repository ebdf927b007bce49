import type { Faults } from '../core/errors.ts';
import { Badge, Callout, type Tone } from '../web/components/callout.tsx';
import { EmptyState } from '../web/components/empty-state.tsx';
import { FormHead } from '../web/components/form-field.tsx';
import { Moment } from '../web/components/moment.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { type Hook, type HookDelivery, type HookState, maxHooksOfPlace } from './webhook.ts';
import { hookPath, hooksPath } from './webhook-addresses.ts';
import { Outcome } from './webhook-deliveries.tsx';
import type { TypedHook } from './webhook-form.ts';
import { HookFields } from './webhook-form-fields.tsx';
import { type HookPageHome, renderHookFrame } from './webhook-frame.tsx';
import { hookTexts } from './webhook-texts.ts';

export interface HooksPageProps {
  frame: PageFrame;
  home: HookPageHome;
  /** Oldest first, with the newest delivery of each. */
  hooks: readonly { hook: Hook; last: HookDelivery | null }[];
  hasOrigin: boolean;
  typed: TypedHook;
  faults: Faults;
  done: string | null;
}

const words = hookTexts;
const tones: Record<HookState, Tone> = { on: 'good', off: 'plain', gone: 'warning' };

export function StateOfHook({ state }: { state: HookState }) {
  return <Badge tone={tones[state]}>{words.states[state]}</Badge>;
}

export function renderHooksPage(props: HooksPageProps): string {
  const { frame, home, hooks } = props;
  return renderHookFrame({
    ...{ frame, home, title: words.title, done: props.done },
    line: home.app ? words.lineApp : words.lineOwner(home.owner.name),
    children: (
      <>
        <Callout
          tone="warning"
          title={words.noOriginTitle}
          sentences={props.hasOrigin ? [] : [words.noOrigin]}
        />
        <section aria-labelledby="hooks">
          <h2 id="hooks">{words.list}</h2>
          {hooks.length === 0 ? (
            <EmptyState title={words.none}>
              <p class="secondary">{words.noneLine}</p>
            </EmptyState>
          ) : (
            <ul class="link-list">
              {hooks.map(({ hook, last }) => (
                <Line key={hook.id} frame={frame} home={home} hook={hook} last={last} />
              ))}
            </ul>
          )}
        </section>
        <section aria-labelledby="make">
          <h2 id="make">{words.make}</h2>
          {hooks.length >= maxHooksOfPlace ? (
            <p class="secondary">{words.full(maxHooksOfPlace)}</p>
          ) : (
            <form class="form" method="post" action={`${hooksPath(home)}/create`}>
              <FormHead frame={frame} />
              <HookFields typed={props.typed} faults={props.faults} shownAddress={null} />
              <p class="actions">
                <button class="button" type="submit">
                  {words.makeButton}
                </button>
              </p>
            </form>
          )}
        </section>
      </>
    ),
  });
}

function Line(props: { frame: PageFrame; home: HookPageHome; hook: Hook; last: HookDelivery | null }) {
  const { frame, home, hook, last } = props;
  return (
    <li>
      <span class="line">
        <a href={hookPath(home, hook.id)}>
          <bdi>{hook.name || hook.shownAddress}</bdi>
        </a>
        <StateOfHook state={hook.state} />
      </span>
      <span class="under-title secondary fine">
        {hook.name !== '' && <bdi>{hook.shownAddress}</bdi>}
        <span>{words.kinds[hook.kind].label}</span>
      </span>
      <span class="fine secondary">
        {last === null ? (
          words.neverSent
        ) : (
          <>
            {words.lastSent} <Moment at={last.updatedAt} now={frame.now} />: <Outcome delivery={last} />
          </>
        )}
      </span>
    </li>
  );
}
