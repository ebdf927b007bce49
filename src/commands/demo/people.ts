/** People: the administrator invites them, and they create their accounts from the links in the emails. */

import { addressOf, type DemoSubject, daysBefore, demoDays, hourMs } from './demo.ts';
import { createBrowser } from './demo-browser.ts';

export interface DemoPerson {
  name: string;
  email: string;
}

const person = (name: string, fullName: string): DemoPerson => ({
  name,
  email: `${fullName}@haldenlabs.example`,
});

/** The administrator. */
export const maya = person('maya', 'maya.okafor');

export const people: readonly DemoPerson[] = [
  person('jonas', 'jonas.lindqvist'),
  person('priya', 'priya.raman'),
  person('tomas', 'tomas.herrera'),
  person('lena', 'lena.fischer'),
  person('kenji', 'kenji.watanabe'),
  person('aisha', 'aisha.diallo'),
  person('mateo', 'mateo.rossi'),
  person('chloe', 'chloe.martin'),
  person('nikolai', 'nikolai.petrov'),
  person('wanjiru', 'wanjiru.kamau'),
  person('sofia', 'sofia.papadaki'),
  person('minh', 'minh.tran'),
  person('omar', 'omar.haddad'),
  person('ingrid', 'ingrid.solberg'),
  person('beatriz', 'beatriz.almeida'),
];

export const planPeople: DemoSubject = (endsAt) =>
  people.map(({ name, email }, index) => ({
    at: daysBefore(endsAt, demoDays + 4, 8) + (index * hourMs) / 4,
    run: async (demo) => {
      const administrator = await demo.as(demo.administrator);
      await administrator.submit('/administration/invitations', '/invitations/create', { email });
      await demo.settle();
      const link = /https:\/\/\S+\/invitation\/\S+/.exec(demo.mailer.sent.at(-1)?.text ?? '')?.[0];
      if (!link) throw new Error(`the invitation of ${email} has no link`);
      const fields = { name, password: demo.password, again: demo.password };
      await createBrowser(demo.server, { from: addressOf(name) }).submit(link, '/create-account', fields);
    },
  }));

/** Invitations that nobody has accepted yet. */
export const planInvitations: DemoSubject = (endsAt) =>
  ['hana.novak', 'liam.byrne'].map((name, index) => ({
    at: daysBefore(endsAt, 1 + index, 10),
    run: async (demo) => {
      const administrator = await demo.as(demo.administrator);
      const email = `${name}@haldenlabs.example`;
      await administrator.submit('/organizations/halden-labs/invitations', '/invitations/create', {
        email,
        team: 'tester',
      });
    },
  }));
