/** Headers of emails that people can unsubscribe from. */

/** `list`: identifies what the emails are about, such as an app. `unsubscribe`: an absolute URL. */
export const subscriptionHeaders = (list: string, unsubscribe: string, origin: string) => ({
  // RFC 8058: email clients show a button that posts to this URL.
  'List-Unsubscribe': `<${unsubscribe}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  'List-Id': `<${list}.${new URL(origin).hostname}>`,
  // RFC 3834 and, for Exchange, [MS-OXCMAIL] 2.2.3.2.14: prevents automatic replies.
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
});
