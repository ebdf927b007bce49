/** Fills an empty installation through its own pages and API, at times in the past. */
import { newPassword } from '../../accounts/passwords/password.ts';
import { readConfig } from '../../config.ts';
import type { Outbound } from '../../core/outbound/outbound-target.ts';
import type { Data } from '../../db/data.ts';
import { mailQueries } from '../../mail/mail-queries.ts';
import { createMemoryMailer } from '../../mail/memory-mailer.ts';
import { createService } from '../../service.ts';
import type { CommandIo } from '../command-io.ts';
import { appPath, findApp } from './apps.ts';
import { planBuildChanges, planBuilds } from './builds.ts';
import { checkPlaces, planChecks } from './checks.ts';
import { createDemo, type Demo, type DemoSubject, daysBefore, demoDays } from './demo.ts';
import { planDevices } from './devices.ts';
import { planFeedback } from './feedback.ts';
import { planPages } from './pages.ts';
import { maya, planInvitations, planPeople } from './people.ts';
import { planPersonalKeys, planProjects } from './projects.ts';
import { planGroups, planInviteLinks, planRetention, planTesters } from './testers.ts';
import { planMemberVisits, planProtectedVisits, planVisits } from './visits.ts';
import { planWebhooks } from './webhooks.ts';

/** Everything in the demo. A new subject is a file with a function, listed here. */
const subjects: readonly DemoSubject[] = [
  planPeople,
  planProjects,
  planPersonalKeys,
  planWebhooks,
  planBuilds,
  planPages,
  planDevices,
  planGroups,
  planInviteLinks,
  planTesters,
  planRetention,
  planBuildChanges,
  planChecks,
  planInvitations,
  planVisits,
  planMemberVisits,
  planProtectedVisits,
  planFeedback,
];

export interface FilledInstallation {
  administrator: string;
  password: string;
  /** Pages to look at first, with their titles. */
  places: readonly { title: string; path: string }[];
}

/** The origin of the installation while it is filled, so that it sends email and serves iOS. */
const publicOrigin = 'https://apps.haldenlabs.example';

/** `settings`: all settings of the installation, including its data folder. */
export async function fillInstallation(
  io: Pick<CommandIo, 'host'>,
  settings: Readonly<Record<string, string>>,
  outbound: Outbound,
): Promise<FilledInstallation> {
  const endsAt = Date.now();
  let now = daysBefore(endsAt, demoDays + 5, 8);
  const password = newPassword();
  const config = readConfig({
    ...settings,
    SLIPWAY_HOST: '127.0.0.1',
    SLIPWAY_PORT: '0',
    SLIPWAY_URL: publicOrigin,
    SLIPWAY_TRUST_PROXY: '127.0.0.1',
    SLIPWAY_SMTP_URL: 'smtp://127.0.0.1:1',
    SLIPWAY_MAIL_FROM: 'Slipway <slipway@haldenlabs.example>',
    SLIPWAY_ADMIN_NAME: maya.name,
    SLIPWAY_ADMIN_EMAIL: maya.email,
    SLIPWAY_ADMIN_PASSWORD: password,
    SLIPWAY_LOG_LEVEL: 'error',
  });
  const mailer = createMemoryMailer();
  const service = await createService(config, { now: () => now, mailer, outbound, host: io.host });
  try {
    const { port } = await service.listen();
    const demo = createDemo({
      server: { address: `http://127.0.0.1:${port}`, publicOrigin },
      administrator: maya.name,
      password,
      now: () => now,
      mailer,
      settle: () => service.outbox.idle(),
    });
    const events = subjects.flatMap((plan) => plan(endsAt)).sort((one, other) => one.at - other.at);
    for (const event of events) {
      now = Math.max(now + 1, event.at);
      await event.run(demo);
    }
    await service.outbox.idle();
    await storeMails(service.data);
    return { administrator: maya.name, password, places: placesOf(demo) };
  } finally {
    // The mailer closes before running jobs end.
    await service.outbox.idle();
    await service.close();
  }
}

/** The demo has no mail server, so emails of the past are marked as stored, not sent. */
async function storeMails(data: Data): Promise<void> {
  const sent = await mailQueries(data).listMails({ state: 'sent', limit: maxMails });
  for (const { mail } of sent)
    await mailQueries(data).changeMail(mail.id, ['sent'], {
      state: 'kept',
      lastError: null,
      now: mail.updatedAt,
    });
}

const maxMails = 1000;

function placesOf(demo: Demo): FilledInstallation['places'] {
  const tideline = findApp('tideline-android');
  const page = demo.pages.get('tideline-android Beta');
  const releases = demo.builds.filter(
    ({ app, branch }) => app === tideline.id && branch.startsWith('release/'),
  );
  const [from, to] = [releases[0], releases.at(-1)];
  return [
    { title: 'What a tester sees', path: `/distributions/${page?.accessKey}` },
    { title: 'An app and its builds', path: appPath(tideline) },
    ...checkPlaces,
    { title: 'Its activity', path: `${appPath(tideline)}/activity` },
    {
      title: 'Two builds compared',
      path: `${appPath(tideline)}/compare?from=${from?.revision}&to=${to?.revision}`,
    },
  ];
}
