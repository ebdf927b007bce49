/** Feedback as the API and webhooks show it. */
import * as v from 'valibot';
import { formatTime, integerShape, textShape, timeShape } from '../core/json-shapes.ts';
import { feedbackStatuses, type ListedFeedback } from './feedback.ts';

export const feedbackShape = v.pipe(
  v.object({
    id: v.string(),
    status: v.picklist(feedbackStatuses),
    revision: integerShape('The build that it is about.'),
    version_name: v.nullable(v.string()),
    version_code: v.string(),
    page: textShape('Name of the page that it was sent from.'),
    text: v.string(),
    sender: v.nullable(textShape('Name of the account that sent it; null for visitors without one.')),
    accepts_reply: v.boolean(),
    device: v.string(),
    screenshots: integerShape('How many there are.'),
    created_at: timeShape(),
  }),
  v.title('Feedback'),
);

export const feedbackJson = (feedback: ListedFeedback): v.InferOutput<typeof feedbackShape> => ({
  id: feedback.id,
  status: feedback.status,
  revision: feedback.revision,
  version_name: feedback.versionName,
  version_code: feedback.versionCode,
  page: feedback.pageName,
  text: feedback.text,
  sender: feedback.sender,
  accepts_reply: feedback.email !== null,
  device: feedback.device,
  screenshots: feedback.screenshots,
  created_at: formatTime(feedback.createdAt),
});
