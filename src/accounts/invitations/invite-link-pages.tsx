/** Invite links of a Project or an app: the list, and one link with its QR code. */

import type { ComponentChildren } from 'preact';
import type { Group } from '../../owners/group.ts';
import { Refusal } from '../../web/components/callout.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { NameField, TextField } from '../../web/components/text-field.tsx';
import { LastDay } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { InviteLink } from './invitation.ts';
import { inviteLinkDays, maxInviteLinkNameLength, maxInviteLinkPeople } from './invite-link.ts';
import { inviteLinkTexts } from './invite-link-texts.ts';

const t = inviteLinkTexts;

/** The frame of invite link pages in a Project or app. */
export interface InviteLinkArea {
  title: string;
  line: string;
  done: string | null;
  crumb?: { label: string; address: string };
  children: ComponentChildren;
}

export interface InviteLinkListProps {
  frame: PageFrame;
  /** Base path of the routes. */
  address: string;
  /** A Project has teams. */
  isProject: boolean;
  /** Newest first. */
  links: readonly InviteLink[];
  groups: readonly Group[];
  submitted: Record<'name' | 'team' | 'group' | 'days' | 'max_people', string>;
  errors: Partial<Record<'name' | 'team' | 'group' | 'days' | 'max_people', readonly string[]>>;
  /** The reason for refusing a link, unless it is about one field. */
  refused: string | null;
}

export function InviteLinkList(props: InviteLinkListProps) {
  const { frame, address, links, refused } = props;
  return (
    <>
      <Refusal sentence={refused} />
      <div class="columns columns-aside">
        <section aria-label={t.title}>
          {links.length === 0 ? (
            <EmptyState title={t.none}>
              <p class="secondary">{t.noneLine}</p>
            </EmptyState>
          ) : (
            <div class="panel">
              <ul class="rows">
                {links.map((link) => (
                  <Row key={link.id} frame={frame} address={address} link={link} />
                ))}
              </ul>
            </div>
          )}
        </section>
        <div class="aside">
          <section class="panel panel-pad" aria-labelledby="new-link">
            <h2 id="new-link">{t.new}</h2>
            <CreateForm {...props} />
          </section>
        </div>
      </div>
    </>
  );
}

function Row({ frame, address, link }: { frame: PageFrame; address: string; link: InviteLink }) {
  return (
    <li>
      <span class="grow">
        <a class="strong cut" href={`${address}/${link.id}`}>
          <bdi>{link.name}</bdi>
        </a>
        <span class="soft fine block">{link.isActive ? <LinkFacts link={link} /> : t.inactive}</span>
      </span>
      <Revoke frame={frame} action={`${address}/${link.id}/revoke`} name={link.name} tone="quiet" />
    </li>
  );
}

function LinkFacts({ link }: { link: InviteLink }) {
  const { into, group } = link;
  return (
    <>
      {t.joined({ people: link.people, limit: link.maxPeople })}
      {into.kind === 'project' && into.team !== 'owner' && ` · ${t.teams[into.team]}`}
      {group && (
        <>
          {' · '}
          <bdi>{group.name}</bdi>
        </>
      )}
      {' · '}
      {t.until({ time: () => <LastDay before={link.expiresAt} /> })}
    </>
  );
}

function Revoke({
  frame,
  action,
  name,
  tone,
}: {
  frame: PageFrame;
  action: string;
  name: string;
  tone: 'quiet' | 'danger';
}) {
  return (
    <Confirm
      frame={frame}
      action={action}
      ask={t.revoke}
      label={t.revokeOf({ name })}
      line={t.revokeLine}
      tone={tone}
    />
  );
}

function CreateForm({ frame, address, isProject, groups, submitted, errors }: InviteLinkListProps) {
  return (
    <PostForm frame={frame} class="form" action={`${address}/create`}>
      <NameField
        label={t.name}
        hint={t.nameHint}
        value={submitted.name}
        errors={errors.name}
        maxLength={maxInviteLinkNameLength}
      />
      {isProject && (
        <SelectField
          id="team"
          label={t.team}
          errors={errors.team}
          value={submitted.team}
          options={(['tester', 'developer'] as const).map((team) => [team, t.teams[team]])}
        />
      )}
      {groups.length > 0 && (
        <SelectField
          id="group"
          label={t.group}
          hint={t.groupHint}
          errors={errors.group}
          value={submitted.group}
          options={[['', t.noGroup], ...groups.map(({ id, name }) => [id, name] as const)]}
        />
      )}
      <SelectField
        id="days"
        label={t.days}
        errors={errors.days}
        value={submitted.days}
        options={inviteLinkDays.map((days) => [String(days), t.dayCount({ count: days })])}
      />
      <TextField
        id="max_people"
        label={t.people}
        hint={t.peopleHint({ limit: maxInviteLinkPeople })}
        value={submitted.max_people}
        errors={errors.max_people}
        maxLength={3}
        required
        short
        numeric
      />
      <SubmitButton label={t.create} tone="primary" />
    </PostForm>
  );
}

export function InviteLinkDetails(props: {
  frame: PageFrame;
  link: InviteLink;
  /** Absolute address; null if it cannot be shown anymore. */
  address: string | null;
  revokePath: string;
}) {
  const { frame, link, address } = props;
  const { into, group } = link;
  return (
    <>
      {!link.isActive && <p class="callout callout-danger">{t.inactive}</p>}
      {address === null ? (
        <p class="callout">{t.lost}</p>
      ) : (
        <section class="panel share-panel" aria-label={t.link}>
          <QrCode address={address} label={t.qrCode({ name: link.name })} />
          <div class="share-text">
            <p class="strong">{t.link}</p>
            <CopyLine address={address} name={link.name} />
            <p class="soft fine">{t.shareLine}</p>
          </div>
        </section>
      )}
      <Facts
        facts={[
          {
            label: t.team,
            value: into.kind === 'project' && into.team !== 'owner' ? t.teams[into.team] : null,
          },
          { label: t.group, value: group && <bdi>{group.name}</bdi> },
          { label: t.expires, value: <LastDay before={link.expiresAt} /> },
          { label: t.createdBy, value: <bdi>{link.invitedBy ?? t.someone}</bdi> },
        ]}
      />
      <Revoke frame={frame} action={props.revokePath} name={link.name} tone="danger" />
    </>
  );
}
