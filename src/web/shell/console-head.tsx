/** The bar above the content of console pages: breadcrumbs, the subject, and the tabs of the subject. */
import type { ComponentChildren } from 'preact';
import { type Tab, Tabs } from '../components/tabs.tsx';
import { texts } from './texts.ts';

export interface Crumb {
  label: string;
  address: string;
}

export interface ConsoleHeadProps {
  /** From the root to the current page. */
  crumbs?: readonly Crumb[];
  icon?: ComponentChildren;
  title: string;
  /** Makes the title a link. */
  titleAddress?: string | undefined;
  /** Whether the title is the heading of the page, which is the default without `titleAddress`. */
  isHeading?: boolean;
  /** Content next to the title. */
  badges?: ComponentChildren;
  /** Content below the title. Each part is in its own element. */
  details?: ComponentChildren;
  actions?: ComponentChildren;
  tabs?: readonly Tab[];
}

export function ConsoleHead(props: ConsoleHeadProps) {
  const { crumbs = [], tabs = [] } = props;
  return (
    <div class={tabs.length > 0 ? 'head' : 'head head-plain'}>
      <div class="wrap">
        {crumbs.length > 0 && <Breadcrumb crumbs={crumbs} />}
        <div class="head-line">
          <div class="head-name">
            {props.icon}
            <div>
              <div class="head-title">
                <HeadTitle {...props} />
                {props.badges}
              </div>
              {props.details && <div class="dots">{props.details}</div>}
            </div>
          </div>
          {props.actions && <div class="actions">{props.actions}</div>}
        </div>
        {tabs.length > 0 && <Tabs label={props.title} tabs={tabs} />}
      </div>
    </div>
  );
}

function HeadTitle({ title, titleAddress, isHeading = titleAddress === undefined }: ConsoleHeadProps) {
  if (isHeading) {
    return (
      <h1>
        <bdi>{title}</bdi>
      </h1>
    );
  }
  if (titleAddress === undefined) return <bdi>{title}</bdi>;
  return (
    <a class="plain" href={titleAddress}>
      <bdi>{title}</bdi>
    </a>
  );
}

function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label={texts.nav.breadcrumb}>
      <ol>
        {crumbs.map(({ label, address }, index) => (
          <li key={address}>
            <a href={address} aria-current={index === crumbs.length - 1 ? 'page' : undefined}>
              <bdi>{label}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The heading of a page with its subject already in the bar. */
export function TitleBlock(props: {
  title: ComponentChildren;
  /** Content next to the title, for example a badge. */
  state?: ComponentChildren;
  line?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="title-block">
      <div>
        <div class="title-line">
          <h1>{props.title}</h1>
          {props.state}
        </div>
        {props.line && <p class="soft title-text">{props.line}</p>}
      </div>
      {props.actions && <div class="actions">{props.actions}</div>}
    </div>
  );
}
