/** Lists of the people of a Project or Workspace, each with a role that managers of the place change. */
import type { ComponentChildren } from 'preact';
import { PeopleListField } from '../../accounts/invitations/people-list-field.tsx';
import { maxNameLength } from '../../owners/owner.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import type { MemberFacts } from './project-people.ts';

/** What the lists of Projects and Workspaces differ in. */
export interface PeopleList<Role extends string> {
  frame: PageFrame;
  viewerId: string;
  /** Addresses of people and forms begin with it. */
  address: string;
  /** Name of the field of forms that choose a role. */
  field: 'team' | 'role';
  roles: readonly Role[];
  names: Readonly<Record<Role, string>>;
  texts: Pick<
    typeof projectTexts.people,
    'role' | 'roleOf' | 'changeOf' | 'removeOf' | 'removeLine' | 'loginHint'
  >;
}

interface ListedPerson<Role extends string> {
  list: PeopleList<Role>;
  person: { id: string; name: string };
}

const t = projectTexts.people;

export function PeopleSearch({ address, query }: { address: string; query: string }) {
  return (
    <search>
      <form class="search" method="get" action={address}>
        <label class="unseen" for="search-people">
          {t.search}
        </label>
        <input
          id="search-people"
          type="search"
          name="q"
          value={query}
          placeholder={t.search}
          maxLength={maxNameLength}
        />
        <SubmitButton label={t.searchButton} />
      </form>
    </search>
  );
}

/** `children`: the role of the person, and what the viewer may do with them. */
export function PersonRow<Role extends string>(
  props: ListedPerson<Role> & { facts: MemberFacts | undefined; children: ComponentChildren },
) {
  const { list, person, facts } = props;
  return (
    <li class="member">
      <Avatar name={person.name} />
      <span class="grow">
        <span class="line-1">
          <bdi class="strong cut">{person.name}</bdi> {person.id === list.viewerId && <Badge>{t.you}</Badge>}
        </span>
        {facts && <Facts facts={facts} now={list.frame.now} />}
      </span>
      {props.children}
    </li>
  );
}

function Facts({ facts: { email, lastSeenAt }, now }: { facts: MemberFacts; now: number }) {
  return (
    <span class="line-2">
      <span class="dots">
        {email !== null && <bdi>{email}</bdi>}
        <span>{lastSeenAt === null ? t.neverSeen : t.lastSeen({ time: timeOf(lastSeenAt, now) })}</span>
      </span>
    </span>
  );
}

export function RoleForm<Role extends string>({
  list,
  person: { id, name },
  chosen,
}: ListedPerson<Role> & { chosen: Role }) {
  const selectId = `${list.field}-${id}`;
  return (
    <PostForm frame={list.frame} action={`${list.address}/${encodeURIComponent(id)}/save`}>
      <label class="unseen" for={selectId}>
        {list.texts.roleOf({ name })}
      </label>
      <RoleSelect id={selectId} list={list} chosen={chosen} />
      <SubmitButton label={t.change} aria-label={list.texts.changeOf({ name })} />
    </PostForm>
  );
}

function RoleSelect<Role extends string>(props: { id: string; list: PeopleList<Role>; chosen: Role }) {
  const { field, roles, names } = props.list;
  return (
    <select id={props.id} name={field}>
      {roles.map((role) => (
        <option key={role} value={role} selected={role === props.chosen}>
          {names[role]}
        </option>
      ))}
    </select>
  );
}

/** `accessAddress`: why the person has access. `children`: what else can be done. */
export function PersonMenu(props: { name: string; accessAddress: string; children: ComponentChildren }) {
  return (
    <details class="menu">
      <summary class="button button-quiet button-icon" aria-label={t.actionsOf({ name: props.name })}>
        <Glyph name="more" />
      </summary>
      <div class="menu-list">
        <a class="menu-item" href={props.accessAddress}>
          {t.whyAccess}
        </a>
        {props.children}
      </div>
    </details>
  );
}

export function RemovePerson<Role extends string>({ list, person: { id, name } }: ListedPerson<Role>) {
  return (
    <Confirm
      frame={list.frame}
      action={`${list.address}/${encodeURIComponent(id)}/remove`}
      ask={t.remove}
      label={list.texts.removeOf({ name })}
      line={list.texts.removeLine}
      tone="item"
    />
  );
}

export interface AddPeopleProps<Role extends string> {
  /** The refused input. */
  submitted: { login: string; role: Role };
  errors: { login?: readonly string[] };
}

/** `children`: what follows the button. */
export function AddPeopleForm<Role extends string>({
  list,
  submitted,
  errors,
  children,
}: AddPeopleProps<Role> & { list: PeopleList<Role>; children?: ComponentChildren }) {
  const id = `new-${list.field}`;
  return (
    <section class="panel panel-pad" aria-labelledby="add">
      <h2 id="add">{t.add}</h2>
      <PostForm frame={list.frame} class="add-person" action={`${list.address}/add`}>
        <PeopleListField
          label={t.logins}
          hint={list.texts.loginHint}
          value={submitted.login}
          errors={errors.login ?? []}
        />
        <div class="field">
          <label for={id}>{list.texts.role}</label>
          <RoleSelect id={id} list={list} chosen={submitted.role} />
        </div>
        <SubmitButton label={t.addButton} />
        {children}
      </PostForm>
    </section>
  );
}
