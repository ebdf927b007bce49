import { type SignOnPaths, withTarget } from '../profile/account-paths.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

/** A provider to sign in at: its name, and where that starts. */
export interface SignOnChoice {
  name: string;
  path: string;
}

/** What pages know of a provider. */
export interface NamedProvider {
  /** The provider's name in the UI. */
  name: string;
  paths: SignOnPaths;
}

export const choicesOf = (signOns: readonly NamedProvider[]): SignOnChoice[] =>
  signOns.map(({ name, paths }) => ({ name, path: paths.signIn }));

/**
 * Links to the providers. `alone`: there is no other way to sign in. Links, not forms, because the content security policy
 * allows forms to this origin only.
 */
export function SingleSignOnButtons(props: {
  choices: readonly SignOnChoice[];
  to: string | null;
  alone: boolean;
}) {
  const { choices, to, alone } = props;
  return (
    <>
      {choices.map(({ name, path }) => (
        <a
          key={path}
          class={`button single-sign-on${alone ? ' button-primary' : ''}`}
          href={withTarget(path, to)}
        >
          <bdi>{singleSignOnTexts.go({ provider: name })}</bdi>
        </a>
      ))}
      {!alone && choices.length > 0 && <p class="or-line">{singleSignOnTexts.or}</p>}
    </>
  );
}
