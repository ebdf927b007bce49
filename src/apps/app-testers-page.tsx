/** Everybody who was given access to a User's App, on a page of its own. */
import { Badge } from '../web/callout.tsx';
import { Done } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import { peopleTexts } from '../web/page-settings-texts.ts';
import { texts } from '../web/texts.ts';
import { platformAppPath } from './addresses.ts';
import { PeopleForms, type PeopleProps, TeamsDecide } from './app-testers-list.tsx';

export interface PeoplePageProps extends PeopleProps {
  /** What was just done; a full sentence. */
  done: string | null;
  typed: string;
  fault: string | null;
}

export function renderPeoplePage(props: PeoplePageProps): string {
  const { frame, app, people } = props;
  return renderPage({
    frame,
    title: peopleTexts.titleOf(app.packageName),
    forms: true,
    width: 'narrow',
    children: (
      <>
        <div class="page-head">
          <p class="kind">
            <a href={platformAppPath(app.owner, app.platform, app.packageName)}>
              <bdi>{app.packageName}</bdi>
            </a>
            <Badge>{texts.platforms[app.platform]}</Badge>
          </p>
          <h1>{peopleTexts.title}</h1>
        </div>
        <Done sentence={props.done} />
        {people === 'teams' ? <TeamsDecide app={app} /> : <PeopleForms {...props} people={people} />}
      </>
    ),
  });
}
