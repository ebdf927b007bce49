import { type AppTester, maxLoginLength } from '../../owners/owner.ts';
import { projectPath } from '../../owners/owner-paths.ts';
import { Field, FormHead } from '../../web/components/form-field.tsx';
import { formatDay } from '../../web/components/formats.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { peoplePath } from '../app-paths.ts';
import { peopleTexts } from './app-tester-texts.ts';

export interface PeopleProps {
  frame: PageFrame;
  app: App;
  /** `teams`: the app belongs to a Project, whose teams decide. */
  people: { testers: readonly AppTester[]; more: boolean } | 'teams';
}

export function TeamAccessNote({ app }: { app: App }) {
  return (
    <p class="secondary">
      {peopleTexts.teamsDecide} <a href={projectPath(app.owner.name)}>{peopleTexts.teamsLink}</a>
    </p>
  );
}

export interface PeopleFormsProps extends PeopleProps {
  people: Exclude<PeopleProps['people'], 'teams'>;
  /** The rejected input. */
  submitted: string;
  errors: readonly string[];
}

/** List of people with remove buttons, and the form that adds someone. */
export function PeopleForms({ frame, app, people, submitted, errors }: PeopleFormsProps) {
  const address = peoplePath(app.owner, app.platform, app.packageName);
  return (
    <>
      <p class="hint lead-hint">{peopleTexts.line}</p>
      {people.testers.length === 0 ? (
        <p class="secondary">{peopleTexts.nobody}</p>
      ) : (
        <ul class="link-list">
          {people.testers.map(({ user, since }) => (
            <li class="person" key={user.id}>
              <span>
                <bdi>{user.name}</bdi>{' '}
                <span class="secondary fine">
                  {peopleTexts.since} {formatDay(since)}
                </span>
              </span>
              <form method="post" action={`${address}/remove`}>
                <FormHead frame={frame} />
                <input type="hidden" name="user" value={user.id} />
                <button class="quiet" type="submit" aria-label={peopleTexts.removeOf(user.name)}>
                  {peopleTexts.remove}
                </button>
              </form>
            </li>
          ))}
        </ul>
      )}
      {people.more && (
        <p>
          <a href={address}>{peopleTexts.all}</a>
        </p>
      )}
      <form class="add-person" method="post" action={`${address}/add`}>
        <FormHead frame={frame} />
        <Field
          id={`${app.platform}-login`}
          label={peopleTexts.add}
          hint={peopleTexts.addHint}
          errors={errors}
          control={(marks) => (
            <input
              {...marks}
              name="login"
              type="text"
              value={submitted}
              maxLength={maxLoginLength}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              required
            />
          )}
        />
        <button class="button" type="submit">
          {peopleTexts.addButton}
        </button>
      </form>
    </>
  );
}
