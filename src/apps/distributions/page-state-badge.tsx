/** Shows the state of a distribution page in the same color, word and mark everywhere. */
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { formatCount, formatDay } from '../../web/components/formats.ts';
import { appTexts } from '../app-texts.ts';
import type { MarkedPage } from '../listed-page.ts';
import { isInstallable, type PageConditions, type PageState, pageStateOf } from './page-state.ts';

const t = appTexts.pages;

/** Green: people can install. Amber: they cannot yet, or no longer can. Neither for a page that was closed on purpose. */
function toneOf(state: PageState): Tone {
  if (isInstallable(state)) return 'good';
  return state === 'closed' ? 'plain' : 'warning';
}

export function PageStateBadge({ state }: { state: PageState }) {
  return <Badge tone={toneOf(state)}>{t.states[state]}</Badge>;
}

/** A link to a page with its name: a filled dot while people can install from it, otherwise a ring. */
export function PageMark(props: {
  page: MarkedPage;
  address: string;
  now: number;
  /** The badge already states the state. */
  hasBadge?: boolean;
  /** It no longer serves the build next to it. */
  isPast?: boolean;
}) {
  const { page, address, now, hasBadge = false, isPast = false } = props;
  const state = pageStateOf(page, now);
  const isLive = isInstallable(state) && !isPast;
  const word = hasBadge ? null : t.states[state];
  return (
    <a
      class={`live ${isLive ? '' : 'live-off '}${hasBadge ? 'strong' : ''}`.trim()}
      href={address}
      title={word ?? undefined}
    >
      <bdi class="cut">{page.name}</bdi>
      {word && <span class="unseen">{word}</span>}
    </a>
  );
}

/** The access rule of a page, in words. */
export const accessWords = ({ access }: Pick<PageConditions, 'access'>): string =>
  t.access[access as keyof typeof t.access] ?? t.access.members;

/** The conditions for installing, as parts of one line. */
export function conditionsOf(page: Omit<PageConditions, 'isServable'>, now: number): string[] {
  const { networks, expiresAt, maxInstalls, installs } = page;
  return [
    accessWords(page),
    ...(networks.length === 0 ? [] : [t.networks({ count: networks.length })]),
    ...(maxInstalls === null
      ? []
      : [t.limited({ installs: formatCount(installs), limit: formatCount(maxInstalls) })]),
    ...(expiresAt === null
      ? []
      : [(expiresAt <= now ? t.expiredOn : t.until)({ day: formatDay(expiresAt) })]),
  ];
}
