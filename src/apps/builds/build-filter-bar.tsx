/** Search and filters above the build list. Filters are menus of links. */

import { Glyph } from '../../web/components/glyph.tsx';
import { texts } from '../../web/shell/texts.ts';
import { appTexts } from '../app-texts.ts';
import {
  type BuildFilter,
  type BuildFilters,
  buildFilterNames,
  type FilterOption,
  type FilterOptions,
} from './build-filters.ts';
import { buildTexts } from './build-texts.ts';

interface FilterBarProps {
  address: string;
  query: string;
  key: string | null;
  filters: BuildFilters;
  options: FilterOptions;
}

const t = buildTexts.list;

export function BuildFilterBar(props: FilterBarProps) {
  const { address, query, key, filters, options } = props;
  const hidden = { ...(key === null ? {} : { key }), ...filters };
  return (
    <div class="filters">
      <form class="find" method="get" action={address}>
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <label class="unseen" for="q">
          {appTexts.app.search}
        </label>
        <Glyph name="search" />
        <input
          id="q"
          type="search"
          name="q"
          value={query}
          placeholder={appTexts.app.search}
          maxLength={200}
        />
      </form>
      <div class="filter-row">
        {buildFilterNames.map((name) => (
          <Filter key={name} list={props} name={name} options={options[name]} />
        ))}
      </div>
    </div>
  );
}

function Filter(props: { list: FilterBarProps; name: BuildFilter; options: readonly FilterOption[] }) {
  const { list, name, options } = props;
  const chosen = list.filters[name];
  // A filter with a single value has no effect, unless the address of the page contains another one.
  if (options.length < 2 && chosen === undefined) return null;
  const label = options.find(({ value }) => value === chosen)?.label ?? chosen;
  return (
    <details class="menu">
      <summary class={chosen === undefined ? 'button filter' : 'button filter filter-on'}>
        {label === undefined
          ? t.names[name]
          : texts.labeled({
              label: t.names[name],
              value: label,
              name: (children) => <bdi class="cut">{children}</bdi>,
            })}
        <Glyph name="chevronDown" />
      </summary>
      <div class="menu-list menu-start">
        {chosen !== undefined && (
          <a class="menu-item" href={addressWith(list, name, undefined)}>
            {t.any}
          </a>
        )}
        {options.map(({ value, label: text }) => (
          <a
            key={value}
            class="menu-item"
            href={addressWith(list, name, value)}
            aria-current={value === chosen ? 'true' : undefined}
          >
            <bdi class="cut">{text}</bdi>
          </a>
        ))}
      </div>
    </details>
  );
}

/** Returns the address of the list with another value for one filter, starting at its first page. */
function addressWith(
  { address, query, key, filters }: FilterBarProps,
  name: BuildFilter,
  value: string | undefined,
): string {
  const { [name]: _, ...others } = filters;
  const fields = new URLSearchParams({
    ...(key === null ? {} : { key }),
    ...(query === '' ? {} : { q: query }),
    ...others,
    ...(value === undefined ? {} : { [name]: value }),
  });
  return fields.size === 0 ? address : `${address}?${fields}`;
}
