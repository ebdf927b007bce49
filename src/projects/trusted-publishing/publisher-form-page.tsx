/** The form of a trusted publisher, with its pinned ids. */

import {
  publisherLimits,
  type TrustedPublisher,
} from '../../accounts/trusted-publishing/trusted-publisher.ts';
import { refusalText } from '../../accounts/trusted-publishing/trusted-publishing-texts.ts';
import type { FieldErrors } from '../../core/errors.ts';
import { type TrustedProvider, trustedProviders } from '../../owners/build-source.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import {
  newTrustedPublisherPath,
  trustedPublisherPath,
  trustedPublishingPath,
} from '../../owners/owner-paths.ts';
import { InlineCode } from '../../web/components/code-block.tsx';
import { Facts } from '../../web/components/facts.tsx';
import { Choice, Confirm, Field, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { SelectField } from '../../web/components/inputs/select-field.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { Tabs } from '../../web/components/tabs.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { withQuery } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { type PublisherField, type PublisherValues, providerFields } from './publisher-form.ts';
import { isNewestRefusal, labelOf, type Place } from './publisher-pages.tsx';
import { publisherTexts } from './trusted-publishing-texts.ts';

const t = publisherTexts;

interface FormProps extends Place {
  provider: TrustedProvider;
  /** Null for a new one. */
  publisher: TrustedPublisher | null;
  values: PublisherValues;
  errors: FieldErrors;
}

export function renderPublisherForm(props: FormProps): string {
  const { frame, owner, publisher, provider } = props;
  const address = publisher ? trustedPublisherPath(owner, publisher.id) : trustedPublishingPath(owner);
  return renderOwnerArea({
    ...props,
    part: 'settings',
    settings: 'trustedPublishing',
    title: publisher?.name ?? t.new,
    line: <a href={trustedPublishingPath(owner)}>← {t.title}</a>,
    children: (
      <>
        {publisher?.lastRefusal && isNewestRefusal(publisher) && (
          <LastRefusal frame={frame} publisher={publisher} />
        )}
        {publisher === null && (
          <Tabs
            label={t.provider}
            tabs={trustedProviders.map((one) => ({
              label: t.providers[one],
              address: withQuery(newTrustedPublisherPath(owner), { provider: one }),
              isCurrent: one === provider,
            }))}
          />
        )}
        <PostForm
          frame={frame}
          action={publisher ? `${address}/save` : `${address}/create`}
          data-guard={Object.keys(props.errors).length > 0 ? 'changed' : ''}
        >
          <input type="hidden" name="provider" value={provider} />
          <div class={publisher ? 'panel' : 'panel after-list'}>
            <Identity {...props} />
            <Limits {...props} />
          </div>
          <p class="actions">
            <SubmitButton label={publisher ? t.save : t.add} tone="primary" />
            <a class="button" href={trustedPublishingPath(owner)}>
              {t.cancel}
            </a>
          </p>
        </PostForm>
        {publisher && <Management frame={frame} publisher={publisher} address={address} />}
      </>
    ),
  });
}

function LastRefusal({ frame, publisher }: { frame: PageFrame; publisher: TrustedPublisher }) {
  const { lastRefusal, lastRefusedAt } = publisher;
  if (!lastRefusal || lastRefusedAt === null) return null;
  return (
    <div class="callout callout-warning">
      <p class="callout-title">{t.lastRefusal({ time: timeOf(lastRefusedAt, frame.now) })}</p>
      <p dir="auto">{refusalText(publisher.name, lastRefusal)}</p>
    </div>
  );
}

function Identity({ provider, values, errors }: FormProps) {
  const needsRules = provider === 'other' || provider === 'bitrise' ? provider : null;
  return (
    <SettingsSection id="who" title={t.providers[provider]} line={t.whoLine}>
      <div class="form">
        {providerFields[provider].map((one) => (
          <TextField
            key={one.field}
            id={one.field}
            label={labelOf(provider, one)}
            hint={hintOf(provider, one)}
            value={values[one.field]}
            errors={errors[one.field]}
            maxLength={publisherLimits.valueLength}
            required={one.isRequired ?? false}
          />
        ))}
        <TextField
          id="name"
          label={t.fields.name}
          hint={t.nameHint}
          value={values.name}
          errors={errors.name}
          maxLength={publisherLimits.nameLength}
          prose
        />
        <RulesField needed={needsRules} values={values} errors={errors} />
        {provider === 'github' && (
          <Choice
            type="checkbox"
            id="self-hosted"
            name="self_hosted"
            value="yes"
            checked={values.self_hosted !== ''}
            label={t.selfHosted}
            hint={t.selfHostedHint}
          />
        )}
      </div>
    </SettingsSection>
  );
}

function hintOf(provider: TrustedProvider, { field, example, isRequired }: PublisherField): string {
  const hint = (isRequired ? t.example : t.optional)({ example });
  if (field === 'server' && (provider === 'github' || provider === 'gitlab' || provider === 'other'))
    return t.serverHint[provider];
  return hint;
}

function RulesField(props: {
  needed: 'other' | 'bitrise' | null;
  values: PublisherValues;
  errors: FieldErrors;
}) {
  const { needed, values, errors } = props;
  const field = (
    <Field
      id="rules"
      label={needed ? t.rules : t.moreRules}
      hint={needed ? t.neededRulesHint[needed] : t.rulesHint}
      errors={errors.rules}
      control={(attributes) => (
        <textarea
          {...attributes}
          name="rules"
          rows={needed ? 4 : 2}
          class="code-field"
          spellcheck={false}
          maxLength={4000}
        >
          {`\n${values.rules}`}
        </textarea>
      )}
    />
  );
  if (needed || values.rules !== '' || errors.rules) return field;
  return (
    <details class="quiet-fold">
      <summary>{t.moreRules}</summary>
      {field}
    </details>
  );
}

function Limits({ values, errors }: FormProps) {
  return (
    <SettingsSection id="limits" title={t.limits} line={t.limitsLine}>
      <div class="form">
        <SelectField
          id="platform"
          label={t.platform}
          value={values.platform}
          options={[
            ['', t.anyApp],
            ['android', texts.platforms.android],
            ['ios', texts.platforms.ios],
          ]}
        />
        <TextField
          id="package"
          label={t.package}
          hint={t.packageHint}
          value={values.package}
          errors={errors.package}
          maxLength={publisherLimits.valueLength}
        />
        <TextField
          id="page"
          label={t.page}
          hint={t.pageHint}
          value={values.page}
          errors={errors.page}
          maxLength={publisherLimits.pageNamePatternLength}
        />
      </div>
    </SettingsSection>
  );
}

function Management(props: { frame: PageFrame; publisher: TrustedPublisher; address: string }) {
  const { frame, publisher, address } = props;
  const pinned = Object.entries(publisher.pinned).flatMap(([subject, ids]) =>
    Object.entries(ids).map(([claim, id]) => ({
      label: subject === '*' ? claim : `${subject} · ${claim}`,
      value: <InlineCode text={id} />,
    })),
  );
  return (
    <div class="panel after-list">
      <SettingsSection id="pinned" title={t.pinned} line={t.pinnedLine}>
        {pinned.length === 0 ? (
          <p class="secondary">{t.notPinned}</p>
        ) : (
          <>
            <Facts facts={pinned} />
            <Confirm
              frame={frame}
              action={`${address}/reset-pins`}
              ask={t.reset}
              line={t.resetLine}
              tone="plain"
            />
          </>
        )}
      </SettingsSection>
      <SettingsSection id="remove" title={t.remove} line={t.removeLine}>
        <Confirm frame={frame} action={`${address}/delete`} ask={t.remove} line={t.removeLine} />
      </SettingsSection>
    </div>
  );
}
