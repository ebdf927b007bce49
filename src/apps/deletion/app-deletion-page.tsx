/** Shows what will be deleted with an app. Typing its name is a confirmation that works without scripts. */
import { formatBytes } from '../../core/byte-size.ts';
import { ErrorSummary, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { joinSentences } from '../../web/components/formats.ts';
import { ConfirmationField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { appDeletionPath, platformAppPath } from '../app-paths.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { appSettingsParts } from '../settings/app-settings-parts.ts';
import type { AppContents } from './deletion.ts';

export interface AppDeletionProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  /** Display name; the package name if there is none. */
  name: string;
  contents: AppContents;
  /** Whether the owner has an app with the same package name on the other platform. */
  onOtherPlatform: boolean;
  submitted: string;
  /** Error for the typed name. */
  errors: readonly string[];
}

const t = buildTexts.removeApp;

export function renderAppDeletion(props: AppDeletionProps): string {
  const { frame, app, name, errors } = props;
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'settings',
    title: t.title({ name }),
    crumb: { label: t.link, address: appDeletionPath(app) },
    settings: appSettingsParts(app, 'deletion'),
    children: (
      <>
        <ErrorSummary
          title={t.notDeleted}
          line={joinSentences(errors)}
          errors={
            errors.length > 0 ? [{ id: 'confirmation', label: t.confirm({ name: app.packageName }) }] : []
          }
        />
        <DeletedContents {...props} />
        <RetainedContents {...props} />
        <ConfirmForm {...props} />
      </>
    ),
  });
}

function DeletedContents({ contents }: AppDeletionProps) {
  const { builds, protectedBuilds, bytes, pages, pageNames, testers } = contents;

  return (
    <section aria-labelledby="goes">
      <h2 id="goes">{t.lead}</h2>
      <ul class="points">
        <li>{t.builds({ count: builds, size: formatBytes(bytes), protected: protectedBuilds })}</li>
        {pages > 0 && (
          <li>
            {t.pages({ count: pages })}
            <ul class="names chips">
              {pageNames.map((page) => (
                <li key={page} class="badge">
                  <bdi>{page}</bdi>
                </li>
              ))}
              {pages > pageNames.length && <li>{t.morePages({ count: pages - pageNames.length })}</li>}
            </ul>
          </li>
        )}
        <li>{t.addresses}</li>
        {testers > 0 && <li>{t.testers({ count: testers })}</li>}
        <li>{t.mails}</li>
      </ul>
    </section>
  );
}

function RetainedContents({ app, onOtherPlatform }: AppDeletionProps) {
  return (
    <section aria-labelledby="stays">
      <h2 id="stays">{t.stays}</h2>
      <ul class="points">
        {app.platform === 'ios' && <li>{t.devices}</li>}
        {onOtherPlatform && <li>{t.otherPlatform}</li>}
        <li>{t.audit}</li>
      </ul>
      <p class="secondary">{t.again}</p>
    </section>
  );
}

function ConfirmForm({ frame, app, submitted, errors }: AppDeletionProps) {
  return (
    <PostForm frame={frame} class="form confirm" action={appDeletionPath(app)}>
      <input type="hidden" name="app" value={app.id} />
      <ConfirmationField label={t.confirm({ name: app.packageName })} value={submitted} errors={errors} />
      <p class="actions">
        <SubmitButton label={t.button} tone="danger" />
        <a class="button" href={platformAppPath(app.owner, app.platform, app.packageName)}>
          {t.keep}
        </a>
      </p>
    </PostForm>
  );
}
