import { Fragment } from 'preact';
import { linkTo } from '../../web/components/message-tags.tsx';
import { checkTexts } from './check-texts.ts';
import type { EffectiveRule } from './store-rules.ts';

const t = checkTexts.timing;

/** `https://github.com/owner/name/issues/1`: `owner/name`. */
const repositoryOf = (address: string) => new URL(address).pathname.split('/').slice(1, 3).join('/');

/** Where a rule is stated, who reports it, and what is not known about its day. */
export function RuleSource({ rule }: { rule: EffectiveRule }) {
  const { source, reportedBy, isMonth, originalFrom } = rule;
  const parts = [
    originalFrom !== null && t.changed,
    isMonth && t.noDay,
    <a key="source" href={source} rel="noreferrer">
      {t.source}
    </a>,
    reportedBy !== null && t.reported({ name: repositoryOf(reportedBy), link: linkTo(reportedBy) }),
  ].filter((part) => part !== false);
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </>
  );
}
