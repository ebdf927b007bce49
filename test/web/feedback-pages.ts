/** The pages of feedback, with all their fields filled through `text`. */
import type { FeedbackReply, ListedFeedback } from '../../src/feedback/feedback.ts';
import { renderFeedbackForm, renderFeedbackSent } from '../../src/feedback/feedback-form-page.tsx';
import { renderFeedbackPage } from '../../src/feedback/feedback-page.tsx';
import { renderInbox } from '../../src/feedback/inbox-page.tsx';
import { makeApp, makeAppHead, makeFrame, now, type TextOf } from './hostile.ts';

export function feedbackPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const head = makeAppHead(text);
  const feedback: ListedFeedback = {
    id: '01m7ybcc98wtz1q5a2s2heyb68',
    appId: 'a1',
    buildId: 'b1',
    pageId: 'd1',
    pageName: text('main'),
    text: text('It stops after login.\nThe screen stays white.'),
    email: text('jo@example.com'),
    sender: text('jo'),
    device: text('iPhone, iOS 17.5'),
    status: 'new',
    createdAt: now - 3_600_000,
    revision: 128,
    versionName: text('2.4.0'),
    versionCode: text('418'),
    screenshots: 2,
  };
  const anonymous = {
    ...feedback,
    id: '01m7ybcc98wtz1q5a2s2heyb69',
    sender: null,
    email: null,
    screenshots: 0,
  };
  const filter = { status: null, revision: null };
  const list = {
    frame,
    head,
    feedback: [feedback, { ...anonymous, status: 'closed' as const }],
    filter,
    counts: { new: 1, 'in-progress': 0, closed: 1 },
    builds: [128, 127],
    paging: { newer: null, older: text('?below=x') },
    done: null,
  };
  const reply: FeedbackReply = {
    id: 'r1',
    feedbackId: feedback.id,
    author: text('mina'),
    text: text('Fixed in #129.'),
    state: 'sent',
    createdAt: now - 60_000,
  };
  const one = {
    frame,
    head,
    feedback,
    screenshots: [1, 2].map((number) => ({ number, blob: `feedback/x.${number}`, sizeBytes: 1 })),
    replies: [reply],
    canSendMail: true,
    submitted: { reply: '' },
    errors: {},
    done: text('Done.'),
  };
  const form = {
    frame: makeFrame(text, false),
    page: { accessKey: 'c'.repeat(40), name: text('main') },
    app: makeApp(text),
    builds: [
      { revision: 128, versionName: text('2.4.0'), versionCode: text('418') },
      { revision: 127, versionName: null, versionCode: text('417') },
    ],
    submitted: { text: text('It stops'), email: text('jo@example.com'), revision: '127' },
    errors: {},
    refusal: null,
    accountEmail: null,
    account: null,
    device: text('iPhone, iOS 17.5'),
  };
  const wrong = [text('No.')];
  return {
    'feedback inbox': renderInbox(list),
    'filtered feedback inbox': renderInbox({
      ...list,
      feedback: [],
      filter: { status: 'in-progress', revision: 128 },
      done: text('Done.'),
    }),
    'empty feedback inbox': renderInbox({
      ...list,
      feedback: [],
      counts: { new: 0, 'in-progress': 0, closed: 0 },
      builds: [],
      paging: { newer: null, older: null },
    }),
    feedback: renderFeedbackPage(one),
    'refused reply to feedback': renderFeedbackPage({
      ...one,
      submitted: { reply: text('x') },
      errors: { reply: wrong, status: wrong },
    }),
    'anonymous feedback': renderFeedbackPage({ ...one, feedback: anonymous, screenshots: [], replies: [] }),
    'feedback form': renderFeedbackForm(form),
    'refused feedback form': renderFeedbackForm({
      ...form,
      errors: { text: wrong, email: wrong, revision: wrong, screenshots: wrong },
      refusal: text('No.'),
      account: text('jo'),
      accountEmail: text('jo@example.com'),
    }),
    'feedback sent': renderFeedbackSent(form),
  };
}
