/** Emails in the brand of the installation or of a Workspace. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MailMessage } from '../../src/mail/mailer.ts';
import { contrast } from '../../src/web/components/brand-colors.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, ipa, settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';

const site = '/administration/branding';

describe('emails with a brand', () => {
  let slipway: AccountsService;
  let admin: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', []);
    await addPerson(slipway, 'mina');
    await slipway.project('harbour', { workspace: 'docks', members: { mina: 'owner' } });
    await slipway.project('boats', { members: { mina: 'owner' } });
    admin = await slipway.browser('admin');
  });
  afterAll(() => slipway.close());

  const save = async (page: string, brand: { name: string; accent: string; support: string }) => {
    const answer = await admin.submit(page, 'save', brand);
    if (answer.status !== 303) await admin.post(`${page}/save`, formOf(answer.text, 'save').fields);
  };
  const emailsAfter = async (action: () => Promise<unknown>): Promise<MailMessage[]> => {
    await settleOutbox(slipway);
    const before = slipway.mailer.sent.length;
    await action();
    await settleOutbox(slipway);
    return slipway.mailer.sent.slice(before);
  };
  const buildEmail = async (owner: string) => {
    const emails = await emailsAfter(() => uploaded(slipway, { owner, file: ipa }));
    const email = emails.find(({ to }) => to.name === 'mina');
    if (!email) throw new Error('no email');
    return email;
  };
  const resetEmail = async () => {
    // Past the limit on requests per account.
    slipway.clock.now += 60 * 60_000;
    const [email] = await emailsAfter(() =>
      slipway.stranger.submit('/forgot-password', 'forgot-password', { login: 'mina' }),
    );
    if (!email) throw new Error('no email');
    return email;
  };

  it('say Slipway and use its accent color without a brand', async () => {
    const { text, html } = await buildEmail('harbour');
    expect(text).toMatch(/\nSlipway\n$/);
    expect(html).toContain('background:#0b5f66');
    expect((await resetEmail()).subject).toBe('Reset your Slipway password');
  });

  it('about builds in a Workspace have its brand, all others the installation’s', async () => {
    await save(site, { name: 'Quay & <Sons>', accent: '#7a1fa2', support: 'help@example.com' });
    await save('/enterprises/docks/branding', {
      name: 'Docks',
      accent: '#0a50a0',
      support: 'https://docks.example.com/help',
    });
    const docks = await buildEmail('harbour');
    expect(docks.text).toMatch(/\nDocks\nSupport: https:\/\/docks\.example\.com\/help\n$/);
    expect(docks.html).toContain('background:#0a50a0');
    expect(docks.html).toContain('href="https://docks.example.com/help"');
    expect(docks.html + docks.text).not.toMatch(/Quay|7a1fa2|Slipway|help@example/);
    for (const email of [await buildEmail('boats'), await resetEmail()]) {
      expect(email.text).toMatch(/Quay & <Sons>[\s\S]*\nSupport: help@example\.com\n$/);
      expect(email.html).toContain('Quay &amp; &lt;Sons>');
      expect(email.html).toContain('background:#7a1fa2');
      expect(email.html).toContain('href="mailto:help@example.com"');
      expect(email.html + email.text).not.toMatch(/docks/i);
    }
    expect((await resetEmail()).subject).toBe('Reset your Quay & <Sons> password');
  });

  it.each(['#ffee00', '#0a0a50', '#808080'])(
    'keep text on buttons of %s readable in both schemes',
    async (accent) => {
      await save(site, { name: '', accent, support: '' });
      for (const { html } of [await buildEmail('boats'), await resetEmail()]) {
        const button = /background:(#[0-9a-f]{6})[^{}]*?;color:(#[0-9a-f]{6})/.exec(
          html.slice(html.indexOf('<body')),
        );
        const pairs = [
          ...html.matchAll(/<td class="button[^>]*background:(#\w{6})[\s\S]*?;color:(#\w{6})/g),
        ].map(([, one, other]) => [one, other]);
        pairs.push(button?.slice(1) ?? []);
        const dark = /\.button\{background:(#\w{6})!important\}\s*\.button a\{color:(#\w{6})!/.exec(html);
        if (dark) pairs.push(dark.slice(1));
        for (const [ground = '#000000', color = '#000000'] of pairs)
          expect(contrast(ground, color)).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});
