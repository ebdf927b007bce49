/** The groups of an owner, and the people in one of them. */

import type { AddedPerson } from '../../accounts/invitations/people-list.ts';
import { addedPeopleContent, PeopleListField } from '../../accounts/invitations/people-list-field.tsx';
import { type Group, maxGroupNameLength } from '../../owners/group.ts';
import { maxLoginLength, type Owner } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import { groupPath, groupsPath, pageOptionsPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Confirm, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { NameField, TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { groupTexts } from './group-texts.ts';

interface OwnedPage {
  frame: PageFrame;
  owner: Owner;
  permissions: OwnerPermissions;
  done: string | null;
}

export interface GroupsPageProps extends OwnedPage {
  groups: readonly Group[];
  submitted: { name: string };
  errors: { name?: readonly string[] };
}

const t = groupTexts;
const partOf = (owner: Owner) => (owner.kind === 'project' ? 'people' : 'apps');

export function renderGroups(props: GroupsPageProps): string {
  const { frame, owner, permissions, groups, submitted, errors } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: partOf(owner),
    title: t.title,
    line: owner.kind === 'project' ? t.lineProject : t.lineUser,
    done: props.done,
    children: (
      <>
        <div class="columns columns-aside">
          <section aria-label={t.title}>
            {groups.length === 0 ? (
              <EmptyState title={t.none}>
                <p class="secondary">{t.noneLine}</p>
              </EmptyState>
            ) : (
              <div class="panel">
                <ul class="rows">
                  {groups.map(({ id, name, people }) => (
                    <li key={id}>
                      <span class="grow">
                        <a class="strong cut" href={groupPath(owner, id)}>
                          <bdi>{name}</bdi>
                        </a>
                      </span>
                      <span class="soft">{t.people({ count: people })}</span>
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </section>
          <div class="aside">
            <section class="panel panel-pad" aria-labelledby="new-group">
              <h2 id="new-group">{t.newGroup}</h2>
              <PostForm frame={frame} class="add-person" action={`${groupsPath(owner)}/create`}>
                <NameField
                  label={t.name}
                  hint={t.nameHint}
                  value={submitted.name}
                  errors={errors.name}
                  maxLength={maxGroupNameLength}
                />
                <SubmitButton label={t.create} tone="primary" />
              </PostForm>
            </section>
          </div>
        </div>
      </>
    ),
  });
}

export interface GroupPageProps extends OwnedPage {
  group: Group;
  people: readonly { id: string; name: string }[];
  pages: readonly { name: string; accessKey: string }[];
  managers: readonly { id: string; name: string }[];
  /** The viewer may only add people and remove them. */
  isManager: boolean;
  submitted: { login: string; name: string; manager: string };
  errors: { login?: readonly string[]; name?: readonly string[]; manager?: readonly string[] | undefined };
}

export function renderGroup(props: GroupPageProps): string {
  const { frame, owner, permissions, group } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: partOf(owner),
    title: group.name,
    line: (
      <>
        {!props.isManager && (
          <>
            <a href={groupsPath(owner)}>{t.crumbs}</a> ·{' '}
          </>
        )}
        {t.people({ count: group.people })}
      </>
    ),
    done: props.done,
    children: (
      <>
        <div class="columns columns-aside">
          <div>
            <People {...props} />
            {!props.isManager && <Pages {...props} />}
          </div>
          <div class="aside">
            <AddForm {...props} />
            {!props.isManager && (
              <>
                <Managers {...props} />
                <EditForms {...props} />
              </>
            )}
          </div>
        </div>
      </>
    ),
  });
}

function People({ frame, owner, group, people }: GroupPageProps) {
  return (
    <section class="section" aria-labelledby="people">
      <h2 id="people">{t.members}</h2>
      {people.length === 0 ? (
        <p class="secondary">{t.nobody}</p>
      ) : (
        <div class="panel">
          <ul class="rows">
            {people.map(({ id, name }) => (
              <li key={id}>
                <Avatar name={name} />
                <bdi class="grow strong cut">{name}</bdi>
                <Confirm
                  frame={frame}
                  action={`${groupPath(owner, group.id)}/remove`}
                  ask={t.remove}
                  label={t.removeOf({ name })}
                  line={t.removeLine}
                  tone="quiet"
                >
                  <input type="hidden" name="user" value={id} />
                </Confirm>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function Pages({ pages }: GroupPageProps) {
  return (
    <section class="section" aria-labelledby="pages">
      <h2 id="pages">{t.pages}</h2>
      {pages.length === 0 ? (
        <p class="secondary">{t.noPages}</p>
      ) : (
        <div class="panel">
          <ul class="rows">
            {pages.map(({ name, accessKey }) => (
              <li key={accessKey}>
                <a class="strong cut" href={pageOptionsPath(accessKey)}>
                  <bdi>{name}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function AddForm({ frame, owner, group, submitted, errors }: GroupPageProps) {
  return (
    <section class="panel panel-pad" aria-labelledby="add">
      <h2 id="add">{t.addButton}</h2>
      <PostForm frame={frame} class="add-person" action={`${groupPath(owner, group.id)}/add`}>
        <PeopleListField
          label={t.add}
          hint={owner.kind === 'project' ? t.addHintProject : t.addHintUser}
          value={submitted.login}
          errors={errors.login ?? []}
        />
        <SubmitButton label={t.addButton} tone="primary" />
      </PostForm>
    </section>
  );
}

function Managers({ frame, owner, group, managers, submitted, errors }: GroupPageProps) {
  const path = `${groupPath(owner, group.id)}/managers`;
  return (
    <section class="panel panel-pad" aria-labelledby="managers">
      <h2 id="managers">{t.managers}</h2>
      <p class="secondary">{managers.length === 0 ? t.noManagers : t.managersLine}</p>
      <ul class="link-list">
        {managers.map(({ id, name }) => (
          <li class="person" key={id}>
            <bdi>{name}</bdi>
            <Confirm
              frame={frame}
              action={`${path}/remove`}
              ask={t.removeManager}
              label={t.removeManagerOf({ name })}
              line={t.removeManagerLine}
              tone="quiet"
            >
              <input type="hidden" name="user" value={id} />
            </Confirm>
          </li>
        ))}
      </ul>
      <PostForm frame={frame} class="add-person" action={`${path}/add`}>
        <TextField
          id="manager"
          name="login"
          label={t.addManager}
          value={submitted.manager}
          errors={errors.manager}
          maxLength={maxLoginLength}
          required
        />
        <SubmitButton label={t.addManagerButton} />
      </PostForm>
    </section>
  );
}

function EditForms({ frame, owner, group, submitted, errors }: GroupPageProps) {
  return (
    <section class="panel panel-pad" aria-labelledby="edit">
      <h2 id="edit">{t.rename}</h2>
      <PostForm frame={frame} class="add-person" action={`${groupPath(owner, group.id)}/rename`}>
        <NameField
          label={t.name}
          value={submitted.name}
          errors={errors.name}
          maxLength={maxGroupNameLength}
        />
        <SubmitButton label={t.renameButton} />
      </PostForm>
      <div class="after-list">
        <Confirm
          frame={frame}
          action={`${groupPath(owner, group.id)}/delete`}
          ask={t.delete}
          line={t.deleteLine}
        />
      </div>
    </section>
  );
}

/** The result for each entry of a list. */
export function renderAddedToGroup(
  props: Omit<OwnedPage, 'done'> & { group: Group; people: readonly AddedPerson[] },
): string {
  const { frame, owner, permissions, group, people } = props;
  return renderOwnerArea({
    frame,
    owner,
    permissions,
    part: partOf(owner),
    ...addedPeopleContent(people, groupPath(owner, group.id)),
  });
}
