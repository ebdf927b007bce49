/** The choices for a check: people who were recently refused, testers of the app, and devices of its owner. */
import { renderToString } from 'preact-render-to-string';
import type { AppPeople } from '../../apps/testers/app-people.ts';
import { peopleTexts } from '../../apps/testers/app-tester-texts.ts';
import type { OwnedDevice } from '../../devices/device.ts';
import { deviceShortName } from '../../devices/device-models.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { SearchResults } from '../../web/components/result-list.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { withQuery } from '../../web/shell/site-paths.ts';
import { deviceName } from './install-check.ts';
import { installCheckTexts, reasonText } from './install-check-texts.ts';
import type { RefusedPerson } from './refused-visit.ts';

export interface InstallChoicesProps {
  frame: PageFrame;
  /** Path of the check. */
  address: string;
  refused: readonly RefusedPerson[];
  people: AppPeople;
  devices: readonly OwnedDevice[];
}

const t = installCheckTexts;
const noMore = { newer: null, older: null };

export function InstallChoices(props: InstallChoicesProps) {
  const { address, people } = props;
  return (
    <>
      <LiveSearch
        address={address}
        part="choices"
        query={people.query}
        label={t.search}
        hint={t.searchHint}
        button={t.searchButton}
      />
      <div id="choices" class="install-choices">
        <Lists {...props} />
      </div>
    </>
  );
}

/** The part of the page that live search replaces. */
export const renderInstallChoices = (props: InstallChoicesProps) => renderToString(<Lists {...props} />);

function Lists(props: InstallChoicesProps) {
  const { refused, people, devices, address } = props;
  const { query } = people;
  const count = people.people.length + devices.length;
  return (
    <div data-found={query === '' ? '' : t.found({ count })}>
      {query === '' && refused.length > 0 && <Refused {...props} />}
      {(query === '' || people.people.length > 0) && <People {...props} />}
      {devices.length > 0 && <Devices {...props} />}
      {query !== '' && (
        <section class="section">
          {count === 0 && <EmptyState title={t.nobody}> </EmptyState>}
          <p class="soft">{t.nobodyLine}</p>
          <p>
            <a class="button" href={withQuery(address, { person: query })}>
              <bdi class="cut">{t.checkName({ name: query })}</bdi>
            </a>
          </p>
        </section>
      )}
    </div>
  );
}

const asPerson = (address: string, person: string) => withQuery(address, { person });
const asDevice = (address: string, device: string) => withQuery(address, { device });

function Refused({ frame, address, refused }: InstallChoicesProps) {
  return (
    <section class="section" aria-labelledby="refused">
      <h2 id="refused">{t.refused}</h2>
      <SearchResults
        said=""
        columnHeadings={[t.person, t.reason, t.when]}
        lines={refused.map(({ refusal, userName, device }) => (
          <tr key={userName ?? device?.id}>
            <th scope="row">
              {userName !== null ? (
                <a class="person plain" href={asPerson(address, userName)}>
                  <Avatar name={userName} />
                  <bdi class="strong cut">{userName}</bdi>
                </a>
              ) : (
                device && (
                  <a href={asDevice(address, device.id)}>
                    <bdi class="strong cut">{deviceName(device)}</bdi>
                  </a>
                )
              )}
            </th>
            <td>
              <span class="line-1">{reasonText(refusal.reason)}</span>
              <span class="line-2">{refusal.system}</span>
            </td>
            <td class="soft tight">
              <Timestamp at={refusal.at} now={frame.now} />
            </td>
          </tr>
        ))}
        nothing={null}
        paging={noMore}
        label={t.refused}
        byName={false}
      />
    </section>
  );
}

function People({ address, people: { people, paging } }: InstallChoicesProps) {
  return (
    <section class="section" aria-labelledby="people">
      <h2 id="people">{t.people}</h2>
      <SearchResults
        said=""
        columnHeadings={[t.person, t.access]}
        lines={people.map(({ user, reason }) => (
          <tr key={user.id}>
            <th scope="row">
              <a class="person plain" href={asPerson(address, user.name)}>
                <Avatar name={user.name} />
                <bdi class="strong cut">{user.name}</bdi>
              </a>
            </th>
            <td>{peopleTexts.reasons[reason]}</td>
          </tr>
        ))}
        nothing={<EmptyState title={t.nobody}> </EmptyState>}
        paging={paging}
        label={t.morePeople}
        byName
      />
    </section>
  );
}

function Devices({ address, devices }: InstallChoicesProps) {
  return (
    <section class="section" aria-labelledby="devices">
      <h2 id="devices">{t.devices}</h2>
      <SearchResults
        said=""
        columnHeadings={[t.device, t.owner]}
        lines={devices.map(({ device, userName }) => (
          <tr key={device.id}>
            <th scope="row">
              <a href={asDevice(address, device.id)}>
                <bdi class="strong cut">{deviceName(device)}</bdi>
              </a>
              <span class="line-2">
                {deviceShortName(device.product)} · <code>{device.udid}</code>
              </span>
            </th>
            <td>
              {userName === null ? <span class="soft">{t.unnamed}</span> : <bdi class="cut">{userName}</bdi>}
            </td>
          </tr>
        ))}
        nothing={null}
        paging={noMore}
        label={t.devices}
        byName={false}
      />
    </section>
  );
}
