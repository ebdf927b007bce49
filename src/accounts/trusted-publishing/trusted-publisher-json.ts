import * as v from 'valibot';
import { formatNullableTime, formatTime, textShape, timeShape } from '../../core/json-shapes.ts';
import { trustedProviders } from '../../owners/build-source.ts';
import type { TrustedPublisher } from './trusted-publisher.ts';
import { refusalText } from './trusted-publishing-texts.ts';

const claim = v.string();
const value = v.string();
export const ruleShape = v.pipe(
  v.union([
    v.strictObject({ claim, equals: value }),
    v.strictObject({ claim, one_of: v.array(value) }),
    v.strictObject({ claim, prefix: value }),
  ]),
  v.description('What a claim of the token must be.'),
);
export const appShape = v.pipe(
  v.nullable(v.strictObject({ platform: v.picklist(['android', 'ios']), package_name: v.string() })),
  v.description('The only app that it may upload, which need not exist yet; null: every app.'),
);

export const trustedPublisherShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    provider: v.picklist(trustedProviders),
    issuer: textShape('The claim `iss` of its tokens.'),
    app: appShape,
    page_name_pattern: v.nullable(
      textShape('The names of pages that it may choose; `*` stands for any text. Null: every page.'),
    ),
    rules: v.array(ruleShape),
    allow_self_hosted: v.pipe(v.boolean(), v.description('Only for GitHub.')),
    pinned: v.pipe(
      v.record(v.string(), v.record(v.string(), v.string())),
      v.description('By repository: the ids that its first token had, and every other must have.'),
    ),
    created_at: timeShape(),
    created_by: v.nullable(v.string()),
    last_used_at: v.nullable(timeShape()),
    last_refused_at: v.nullable(timeShape()),
    last_refusal: v.nullable(
      v.object({ code: v.string(), detail: textShape('Which claim differs, as a sentence.') }),
    ),
  }),
  v.title('TrustedPublisher'),
);

export function trustedPublisherJson(
  publisher: TrustedPublisher,
): v.InferOutput<typeof trustedPublisherShape> {
  const { app, lastRefusal } = publisher;
  return {
    id: publisher.id,
    name: publisher.name,
    provider: publisher.provider,
    issuer: publisher.issuer,
    app: app && { platform: app.platform, package_name: app.packageName },
    page_name_pattern: publisher.pageNamePattern,
    rules: publisher.rules.map((rule) => ({ ...rule })) as v.InferOutput<typeof ruleShape>[],
    allow_self_hosted: publisher.allowsSelfHosted,
    pinned: { ...publisher.pinned },
    created_at: formatTime(publisher.createdAt),
    created_by: publisher.createdBy,
    last_used_at: formatNullableTime(publisher.lastUsedAt),
    last_refused_at: formatNullableTime(publisher.lastRefusedAt),
    last_refusal: lastRefusal && { code: lastRefusal.code, detail: refusalText(publisher.name, lastRefusal) },
  };
}
