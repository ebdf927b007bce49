import { singleSignOnPath } from '../profile/account-paths.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

/**
 * Links to the provider. `alone`: there is no other way to sign in. A link, not a form, because the content security policy
 * allows forms to this origin only.
 */
export function SingleSignOnButton(props: { provider: string; to: string | null; alone: boolean }) {
  return (
    <>
      <a
        class={`button single-sign-on${props.alone ? ' button-primary' : ''}`}
        href={singleSignOnPath(props.to)}
      >
        <bdi>{singleSignOnTexts.go({ provider: props.provider })}</bdi>
      </a>
      {!props.alone && <p class="or-line">{singleSignOnTexts.or}</p>}
    </>
  );
}
