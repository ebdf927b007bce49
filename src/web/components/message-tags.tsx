/** Elements for the tags of messages, such as `t.published({ user, name: isolated, time: timeOf(at, now) })`. */
import type { ComponentChildren } from 'preact';
import { LastDay, Timestamp } from './timestamp.tsx';

export type Tag = (children: ComponentChildren) => ComponentChildren;

/** For names, so that their text direction does not affect the sentence. */
export const isolated: Tag = (children) => <bdi>{children}</bdi>;

export const strong: Tag = (children) => (
  <strong>
    <bdi>{children}</bdi>
  </strong>
);

/** `exact`: also shows the date and time, in parentheses. */
export const timeOf =
  (at: number, now: number, exact = false): Tag =>
  () => <Timestamp at={at} now={now} exact={exact} />;

export const lastDayOf =
  (before: number): Tag =>
  () => <LastDay before={before} />;

export const linkTo =
  (address: string, kind?: string): Tag =>
  (children) => (
    <a class={kind} href={address}>
      <bdi>{children}</bdi>
    </a>
  );
