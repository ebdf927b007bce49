/** The form field for a list of people, and the result for each person. */
import { Badge } from '../../web/components/callout.tsx';
import { Field } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { ColumnHeaders } from '../../web/components/result-list.tsx';
import { accountTexts } from '../account-texts.ts';
import { type AddedPerson, maxPeopleListLength } from './people-list.ts';

const t = accountTexts.peopleList;

export function PeopleListField(props: {
  label: string;
  hint: string;
  value: string;
  errors: readonly string[];
}) {
  return (
    <Field
      id="login"
      label={props.label}
      hint={joinSentences([props.hint, t.hint])}
      errors={props.errors}
      control={(attributes) => (
        <textarea
          {...attributes}
          name="login"
          rows={3}
          maxLength={maxPeopleListLength}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
        >
          {props.value}
        </textarea>
      )}
    />
  );
}

const tones = {
  added: 'good',
  invited: 'good',
  already: 'plain',
  pending: 'plain',
  unknown: 'warning',
  invalid: 'warning',
  refused: 'danger',
} as const;

/** The page with the result for each entry of a list. `backAddress`: the page with the list of people. */
export const addedPeopleContent = (people: readonly AddedPerson[], backAddress: string) => ({
  title: t.resultTitle,
  line: t.resultLine({
    done: people.filter(({ outcome }) => outcome === 'added' || outcome === 'invited').length,
    total: people.length,
  }),
  children: <AddedPeople people={people} backAddress={backAddress} />,
});

function AddedPeople({ people, backAddress }: { people: readonly AddedPerson[]; backAddress: string }) {
  return (
    <div class="stack">
      <div class="panel">
        <table class="table cards">
          <caption class="unseen">{t.resultTitle}</caption>
          <ColumnHeaders columnHeadings={[t.entry, t.result, t.explanation]} />
          <tbody>
            {people.map((person) => (
              <tr key={person.text}>
                <th scope="row">
                  <bdi class="cut">{person.text}</bdi>
                </th>
                <td>
                  <Badge tone={tones[person.outcome]}>{t.outcomes[person.outcome]}</Badge>
                </td>
                <td class="soft">
                  {person.outcome === 'refused' ? person.message : t.explanations[person.outcome]}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="actions">
        <a class="button button-primary" href={backAddress}>
          {t.back}
        </a>
      </p>
    </div>
  );
}
