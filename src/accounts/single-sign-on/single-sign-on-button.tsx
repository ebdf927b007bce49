import { singleSignOnPath } from '../profile/account-addresses.ts';
import { singleSignOnTexts } from './single-sign-on-texts.ts';

/**
 * Leads to the provider and back; unless it is `alone`, other ways in follow. A link and no form: pages let forms go to this origin alone, and the provider is another.
 */
export function SingleSignOnButton(props: { provider: string; to: string | null; alone: boolean }) {
  return (
    <>
      <a
        class={`button single-sign-on${props.alone ? '' : ' button-plain'}`}
        href={singleSignOnPath(props.to)}
      >
        <bdi>{singleSignOnTexts.go(props.provider)}</bdi>
      </a>
      {!props.alone && <p class="or-line">{singleSignOnTexts.or}</p>}
    </>
  );
}
