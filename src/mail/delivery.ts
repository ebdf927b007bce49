/** Composes and sends emails. */

import type { MailConfig } from './mail-config.ts';
import type { MailAddress, Mailer } from './mailer.ts';
import type { ComposeMail } from './messages/compose-mail.ts';

export interface MailDelivery {
  mailer: Mailer;
  compose: ComposeMail;
  from: MailAddress;
  /** Public origin for links. */
  origin: string;
}

export interface DeliveryDeps {
  /** Replaces the configured mail server. */
  mailer?: Mailer | undefined;
  createCompose(settings: { from: MailAddress; origin: string }): ComposeMail;
}

/** Null without a mail server or a public origin. */
export async function openDelivery(
  { mail, publicUrl: origin }: { mail: MailConfig | null; publicUrl: string | null },
  deps: DeliveryDeps,
): Promise<MailDelivery | null> {
  if (mail === null || origin === null) return null;
  const { from } = mail;
  const compose = deps.createCompose({ from, origin });
  if (deps.mailer) return { mailer: deps.mailer, compose, from, origin };
  const { createSmtpMailer } = await import('./smtp-mailer.ts');
  const mailer = createSmtpMailer({ server: mail.smtp, clientName: domainOf(origin) });
  return { mailer, compose, from, origin };
}

/** Null for an IP address, for which EHLO requires a different format (RFC 5321, section 4.1.3). */
function domainOf(origin: string): string | null {
  const { hostname } = new URL(origin);
  return /^\[|^[0-9.]+$/.test(hostname) ? null : hostname;
}
