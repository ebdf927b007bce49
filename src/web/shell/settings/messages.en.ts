/** Parts of the settings of people, apps, pages, Projects and Workspaces. */
export const en = {
  label: 'Parts of the settings',
  overview: 'Overview',
  general: 'General',
  access: 'Access',
  appearance: 'Appearance',
  history: 'History',
  branding: 'Branding',
  checks: 'Checks',
  retention: 'Retention',
  provisioning: 'Provisioning',
  signOn: 'Single sign-on',
  accessReview: 'Access review',
  trustedPublishing: 'Trusted publishing',
  signingKeys: 'Signing keys',
  developerVerification: 'Developer verification',
  deletion: 'Delete',
} as const;
