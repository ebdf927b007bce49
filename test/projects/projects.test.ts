/** Creating, editing and staffing Projects and Workspaces in the browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invitationLifetimeMs } from '../../src/accounts/invitations/invitation.ts';
import { createProjectPeople } from '../../src/projects/people/project-people.ts';
import { projectsPerDay } from '../../src/projects/settings/new-owner-routes.ts';
import { acceptInvitations } from '../support/accept-invitations.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { countEarlierAttempts } from '../support/earlier-attempts.ts';
import { uploaded } from '../support/interface-client.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const minute = 60_000;

describe('Projects and Workspaces', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let now = Date.UTC(2026, 10, 21);
  const clock = () => {
    now += 1;
    return now;
  };
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', now: clock });
    people = await signInPeople(slipway, ['admin', 'olga', 'dev', 'tess', 'hanna', 'mass']);
  });
  afterAll(() => slipway.close());

  const newProject = { name: 'crew', description: 'Ships\r\nand more ', workspace: '' };
  const teamsOf = async (project: string, name: string) =>
    slipway.data.owners.teamsOf(await people.idOf(project), await people.idOf(name));
  const actions = async (ownerName: string, limit: number) => {
    const rows = await slipway.data.audit.page({ ownerId: await people.idOf(ownerName) }, { limit });
    return rows.map(({ actorName, action, subject }) => `${actorName} ${action} ${subject}`);
  };

  describe('a new Project', () => {
    it('can be created by anyone, who becomes its first owner, and stays in its Workspace', async () => {
      const page = await people.get('olga', '/projects/new');
      expect(page.text).not.toContain('name="workspace"');
      const { action, fields } = formOf(page.text, 'new');
      const made = await people.postAsIs('olga', action, { ...fields, ...newProject });
      expect(made.headers.location).toBe('/organizations/crew?done=made');
      const shown = (await people.get('olga', made.headers.location ?? '')).text;
      expect(shown).toContain('Project created.');
      expect(shown).toContain('Ships\nand more');
      expect(shown).toContain('/api/users/crew/apps');
      expect(await teamsOf('crew', 'olga')).toEqual(['owner']);
      expect(await teamsOf('crew', 'admin')).toEqual([]);
      expect(await actions('crew', 9)).toEqual(['olga project.made crew']);
      expect((await people.get('olga', '/')).text).toContain('/organizations/crew');
    });

    it.each([
      ['crew', 'The name crew is taken.'],
      ['CREW', 'The name CREW is taken.'],
      ['olga', 'The name olga is taken.'],
      ['new', 'The name new is reserved.'],
      ['', 'A project name must have 1 to 64'],
      ['a b', 'A project name must have 1 to 64'],
      ['-crew', 'A project name must have 1 to 64'],
      ['a'.repeat(65), 'A project name must have 1 to 64'],
      ['<b>', 'A project name must have 1 to 64'],
    ])('named %j is refused next to the field, and keeps the form values', async (name, sentence) => {
      const refused = await people.post('dev', '/projects/new', { ...newProject, name, description: 'Kept' });
      expect(refused.status).toBe(sentence.includes('taken') ? 409 : 400);
      expect(refused.text).toContain(sentence);
      expect(refused.text).toContain('aria-invalid');
      expect(formOf(refused.text, 'new').fields).toMatchObject({ name, description: 'Kept' });
      expect(await slipway.data.owners.listProjectsOfUser(await people.idOf('dev'))).toEqual([]);
    });

    it('is limited per day', async () => {
      const make = (at: number) =>
        people.post('mass', '/projects/new', { name: `mass-${at}`, description: '' });
      const subject = ['create a project', await people.idOf('mass')];
      await countEarlierAttempts(slipway, now, subject, projectsPerDay.limit - 2);
      for (const at of [1, 2]) expect((await make(at)).status).toBe(303);
      expect((await make(projectsPerDay.limit)).status).toBe(429);
      expect(await slipway.data.owners.findOwner(`mass-${projectsPerDay.limit}`)).toBeNull();
      now += projectsPerDay.windowMs;
      expect((await make(projectsPerDay.limit)).status).toBe(303);
    });

    it('has a description of limited length', async () => {
      const tooLong = { ...newProject, name: 'long', description: 'x'.repeat(4097) };
      const refused = await people.post('olga', '/projects/new', tooLong);
      expect([refused.status, refused.text.includes('at most 4096 characters')]).toEqual([400, true]);
      const fits = await people.post('olga', '/projects/new', { ...tooLong, description: 'x'.repeat(4096) });
      expect(fits.status).toBe(303);
    });

    it('is created in a Workspace only by its owners', async () => {
      const form = { name: 'harbour', display_name: 'Harbour Labs' };
      const made = await people.post('admin', '/workspaces/new', form);
      expect(made.headers.location).toBe('/enterprises/harbour?done=made');
      const tx = { ...newProject, name: 'inside', workspace: 'harbour' };
      expect((await people.post('olga', '/projects/new', tx)).status).toBe(404);
      expect((await people.post('admin', '/projects/new', { ...tx, workspace: 'none' })).status).toBe(404);
      const page = await people.get('admin', '/projects/new?workspace=harbour');
      const { action, fields } = formOf(page.text, 'new');
      expect(fields.workspace).toBe('harbour');
      expect((await people.postAsIs('admin', action, { ...fields, name: 'inside' })).status).toBe(303);
      const project = await slipway.data.owners.findOwner('inside');
      expect(project).toMatchObject({ kind: 'project', workspace: { name: 'harbour' } });
      expect((await people.get('admin', '/enterprises/harbour')).text).toContain('/organizations/inside');
      expect((await people.get('admin', '/organizations/inside')).text).toContain('Harbour Labs');
    });
  });

  describe('a Workspace', () => {
    it.each([
      [{ name: 'a b' }, 'A workspace name must have 1 to 64'],
      [{ name: 'harbour' }, 'The name harbour is taken.'],
      [
        { display_name: 'x'.repeat(121) },
        'A display name can have at most 120 characters, all of them visible.',
      ],
    ])('is refused with %j', async (change, sentence) => {
      const form = { name: 'yard', display_name: '', ...change };
      const refused = await people.post('admin', '/workspaces/new', form);
      expect([refused.status, refused.text.includes(sentence)]).toEqual([
        sentence.includes('taken') ? 409 : 400,
        true,
      ]);
      expect(await slipway.data.owners.findWorkspace('yard')).toBeNull();
    });

    it('changes its display name', async () => {
      const settings = '/enterprises/harbour/settings';
      const { fields } = formOf((await people.get('admin', settings)).text, 'save');
      expect(fields).toMatchObject({ display_name: 'Harbour Labs' });
      expect((await people.post('admin', `${settings}/save`, { display_name: 'Quay' })).status).toBe(303);
      expect(await slipway.data.owners.findWorkspace('harbour')).toMatchObject({
        displayName: 'Quay',
        iconUrl: '/assets/favicon.svg',
      });
      const long = 'x'.repeat(121);
      const refused = await people.post('admin', `${settings}/save`, { display_name: long });
      expect(refused.status).toBe(400);
      expect(formOf(refused.text, 'save').fields.display_name).toBe(long);
    });

    it('lets its owners create Projects, and keeps at least one owner', async () => {
      const owners = '/enterprises/harbour/people';
      const add = (login: string) =>
        people.post('admin', `${owners}/add`, { login, role: 'owner', proof: testPassword });
      const remove = async (name: string, by = 'admin') =>
        people.post(by, `${owners}/${await people.idOf(name)}/remove`, {});
      const last = await remove('admin');
      expect([last.status, last.text.includes('at least one owner')]).toEqual([409, true]);
      expect((await add('nobody')).text).toContain('No user has this name');
      expect((await add('crew')).status).toBe(400);
      expect((await add(' HANNA@example.com ')).headers.location).toBe(`${owners}?done=added`);
      expect((await add('hanna')).headers.location).toMatch(/done=already$/);
      expect((await people.get('hanna', '/')).text).toContain('/enterprises/harbour');
      expect((await people.get('hanna', '/enterprises/harbour')).text).toContain('inside');
      // Owning the Workspace alone does not give access to the Project.
      expect((await people.get('hanna', '/organizations/inside')).status).toBe(404);
      expect((await remove('admin', 'hanna')).headers.location).toBe(`${owners}?done=removed`);
      expect((await remove('hanna', 'hanna')).status).toBe(409);
      await add('admin');
      expect((await remove('hanna', 'hanna')).headers.location).toBe('/');
      expect((await people.get('hanna', owners)).status).toBe(404);
      const rows = await slipway.data.audit.page({ ownerId: null, actorName: 'hanna' }, { limit: 2 });
      expect(rows.map(({ action, subject }) => [action, subject])).toEqual([
        ['workspace.owner-removed', 'hanna: harbour'],
        ['workspace.owner-removed', 'admin: harbour'],
      ]);
    });
  });

  it('refuses an invitation of a former owner from before they were added', async () => {
    const workspace = { name: 'pier', displayName: null, iconUrl: null, ownerName: 'olga' };
    await slipway.owners.createWorkspace({ ...workspace, by: 'command-line' });
    const owners = '/enterprises/pier/people';
    const add = (by: string) =>
      people.post(by, `${owners}/add`, { login: 'mass', role: 'owner', proof: testPassword });
    expect((await add('olga')).headers.location).toBe('/enterprises/pier/people?done=invited');
    const id = await people.idOf('mass');
    const [left] = await slipway.data.invitations.listOfUser(id, clock(), 9);
    await add('admin');
    await people.post('olga', `${owners}/${id}/remove`, {});
    expect((await people.post('mass', `/settings/invitations/${left?.id}/accept`, {})).status).toBe(404);
    expect((await people.get('mass', '/enterprises/pier')).status).toBe(404);
  });

  describe('the people of a Project', () => {
    const address = '/organizations/crew/people';
    const invite = (login: string, team: string, by = 'olga') =>
      people.post(by, `${address}/add`, { login, team, proof: testPassword });
    const add: typeof invite = async (login, team, by) => {
      const answer = await invite(login, team, by);
      if (answer.headers.location?.endsWith('?done=invited')) await acceptInvitations(slipway, login, clock);
      return answer;
    };
    const change = async (name: string, team: string, by = 'olga') =>
      people.post(by, `${address}/${await people.idOf(name)}/save`, { team, proof: testPassword });
    const remove = async (name: string, by = 'olga') =>
      people.post(by, `${address}/${await people.idOf(name)}/remove`, {});

    it('are added by name or address, move between teams, and are removed', async () => {
      expect((await add('dev', 'developer')).headers.location).toBe(`${address}?done=invited`);
      expect((await add(' Tess@Example.com ', 'tester')).status).toBe(303);
      expect([await teamsOf('crew', 'dev'), await teamsOf('crew', 'tess')]).toEqual([
        ['developer'],
        ['tester'],
      ]);
      const again = await add('dev', 'owner');
      expect(again.headers.location).toMatch(/done=already$/);
      expect((await people.get('olga', `${address}?done=already`)).text).toContain(
        'They are already in the Project.',
      );
      expect((await change('tess', 'developer')).headers.location).toBe(`${address}?done=changed`);
      expect(await teamsOf('crew', 'tess')).toEqual(['developer']);
      expect((await change('tess', 'developer')).status).toBe(303);
      expect((await remove('tess')).headers.location).toBe(`${address}?done=removed`);
      expect(await teamsOf('crew', 'tess')).toEqual([]);
      expect((await people.get('tess', '/organizations/crew')).status).toBe(404);
      expect(await actions('crew', 5)).toEqual([
        'olga team.left tess developer team',
        'olga team.joined tess developer team',
        'olga team.left tess tester team',
        'tess team.joined tess tester team',
        'olga invitation.made tess: crew',
      ]);
    });

    it('are shown to owners with address and when they were last seen, and start as testers', async () => {
      const page = (await people.get('olga', address)).text;
      expect(page).toContain('dev@example.com');
      expect(page).toMatch(/Last seen <time/);
      expect(page).toMatch(/id="new-team"[^>]*>.*?<option value="tester" selected>/s);
      const refused = await people.post('olga', `${address}/add`, {
        login: 'nobody-here',
        team: 'x',
        proof: testPassword,
      });
      expect(refused.text).toMatch(/id="new-team"[^>]*>.*?<option value="tester" selected>/s);
      expect((await people.get('dev', address)).text).not.toContain('olga@example.com');
    });

    it('cannot be left by the only owner, who is told why', async () => {
      await slipway.project('solo', { members: { olga: 'owner', dev: 'developer' } });
      const leave = '/organizations/solo/people/leave';
      // The administrator created the Project.
      await people.post('olga', `/organizations/solo/people/${await people.idOf('admin')}/remove`, {});
      const alone = (await people.get('olga', '/organizations/solo/people')).text;
      expect(alone).toContain('You are the only owner.');
      expect(alone).not.toContain(`action="${leave}"`);
      expect((await people.get('dev', '/organizations/solo/people')).text).toContain(`action="${leave}"`);
      await people.post('olga', '/organizations/solo/people/add', {
        login: 'mass',
        team: 'owner',
        proof: testPassword,
      });
      await acceptInvitations(slipway, 'mass', clock);
      expect((await people.get('olga', '/organizations/solo/people')).text).toContain(`action="${leave}"`);
    });

    it('join when they accept, and until then see and receive nothing', async () => {
      expect((await invite('mass', 'owner')).headers.location).toBe(`${address}?done=invited`);
      expect(await teamsOf('crew', 'mass')).toEqual([]);
      expect((await people.get('mass', '/organizations/crew')).status).toBe(404);
      expect((await invite('mass', 'owner')).headers.location).toMatch(/done=pending$/);
      expect((await people.get('olga', `${address}?done=pending`)).text).toContain('Already invited.');
      expect((await people.get('olga', address)).text).toContain('Cancel the invitation for mass');
      const open = (await people.get('mass', '/settings/invitations')).text;
      expect(open).toContain('Project crew');
      const { action, fields } = formOf(open, 'accept');
      // No one else can accept or decline for them.
      expect((await people.post('dev', action, {})).status).toBe(404);
      expect((await people.postAsIs('mass', action, fields)).status).toBe(303);
      expect(await teamsOf('crew', 'mass')).toEqual(['owner']);
      expect((await people.postAsIs('mass', action, fields)).status).toBe(404);
      expect((await remove('mass')).status).toBe(303);
    });

    it('do not join by an invitation from before they were added and removed', async () => {
      await invite('mass', 'owner');
      const [left] = await slipway.data.invitations.listOfUser(await people.idOf('mass'), clock(), 9);
      const change = { by: 'command-line', projectName: 'crew', team: 'tester', userName: 'mass' } as const;
      await slipway.owners.addToTeam(change);
      await slipway.owners.removeFromTeam(change);
      expect((await people.post('mass', `/settings/invitations/${left?.id}/accept`, {})).status).toBe(404);
      expect(await teamsOf('crew', 'mass')).toEqual([]);
    });

    it('cannot join with an invitation that was canceled, has expired or whose sender left', async () => {
      const acceptAs = async (name: string) => {
        const id = await people.idOf(name);
        const [found] = await slipway.data.invitations.listOfUser(id, clock(), 9);
        return () => people.post(name, `/settings/invitations/${found?.id}/accept`, {});
      };
      await invite('mass', 'tester');
      const canceled = await acceptAs('mass');
      const form = formOf((await people.get('olga', address)).text, 'cancel');
      expect((await people.postAsIs('olga', form.action, form.fields)).headers.location).toBe(
        `${address}?done=canceled`,
      );
      expect((await canceled()).status).toBe(404);
      await invite('mass', 'tester');
      const late = await acceptAs('mass');
      const before = now;
      now += invitationLifetimeMs;
      expect(await slipway.data.invitations.listOfUser(await people.idOf('mass'), clock(), 9)).toEqual([]);
      now = before;
      await change('dev', 'owner');
      const by = { by: 'command-line' } as const;
      await slipway.owners.addToTeam({ ...by, projectName: 'crew', team: 'owner', userName: 'dev' });
      await slipway.owners.removeFromTeam({ ...by, projectName: 'crew', team: 'owner', userName: 'olga' });
      expect((await late()).status).toBe(404);
      expect(await teamsOf('crew', 'mass')).toEqual([]);
      await slipway.owners.addToTeam({ ...by, projectName: 'crew', team: 'owner', userName: 'olga' });
      await slipway.owners.removeFromTeam({ ...by, projectName: 'crew', team: 'owner', userName: 'dev' });
      await remove('dev');
      await add('dev', 'developer');
    });

    it('are added immediately by administrators, and from the same Workspace', async () => {
      expect((await invite('hanna', 'tester', 'admin')).headers.location).toBe(`${address}?done=added`);
      expect(await teamsOf('crew', 'hanna')).toEqual(['tester']);
      expect((await remove('hanna')).status).toBe(303);
      await slipway.project('inner-1', { workspace: 'harbour', members: { olga: 'owner', tess: 'tester' } });
      await slipway.project('inner-2', { workspace: 'harbour', members: { olga: 'owner' } });
      const inner = (login: string) =>
        people.post('olga', '/organizations/inner-2/people/add', {
          login,
          team: 'tester',
          proof: testPassword,
        });
      expect((await inner('tess')).headers.location).toBe('/organizations/inner-2/people?done=added');
      expect((await inner('mass')).headers.location).toBe('/organizations/inner-2/people?done=invited');
      for (const name of ['inner-1', 'inner-2']) {
        const project = await people.idOf(name);
        await slipway.data.ownerDeletion.remove({ id: project, kind: 'project', email: null }, clock());
      }
    });

    it('are moved to the chosen team if they were in several', async () => {
      for (const team of ['tester', 'developer']) {
        await slipway.join('crew', team, 'tess');
      }
      expect((await change('tess', 'tester')).status).toBe(303);
      expect(await teamsOf('crew', 'tess')).toEqual(['tester']);
      await remove('tess');
    });

    it.each(['nobody', 'nobody@example.com', 'crew', '', 'a'.repeat(5000), '<b>'])(
      "can't be added by the unknown name %j",
      async (login) => {
        const refused = await add(login, 'tester');
        expect([refused.status, refused.text.includes('No user has this name or email.')]).toEqual([
          400,
          true,
        ]);
        expect(formOf(refused.text, 'add').fields).toMatchObject({ login, team: 'tester' });
      },
    );

    it('can leave, except for the last owner', async () => {
      const leave = (name: string) => people.post(name, `${address}/leave`, {});
      const last = await leave('olga');
      expect([last.status, last.text.includes('must have at least one owner')]).toEqual([409, true]);
      expect((await change('olga', 'tester')).status).toBe(409);
      expect((await remove('olga', 'admin')).status).toBe(409);
      expect(await teamsOf('crew', 'olga')).toEqual(['owner']);
      expect((await leave('dev')).headers.location).toBe('/?done=left');
      expect((await people.get('dev', '/organizations/crew')).status).toBe(404);
      await add('dev', 'owner');
      expect((await change('olga', 'tester')).headers.location).toBe(`${address}?done=changed`);
      expect((await people.get('olga', address)).text).not.toContain('name="login"');
      expect((await add('tess', 'tester')).status).toBe(404);
      expect((await change('olga', 'owner', 'dev')).status).toBe(303);
      expect((await leave('dev')).status).toBe(303);
    });

    it("can't be left by administrators who are not members", async () => {
      await slipway.join('crew', 'owner', 'olga');
      expect(await teamsOf('crew', 'admin')).toEqual([]);
      expect((await people.get('admin', address)).text).not.toContain(`${address}/leave`);
      expect((await people.post('admin', `${address}/leave`, {})).status).toBe(404);
    });

    it('always include an owner, even if two leave concurrently', async () => {
      const { remove } = createProjectPeople({
        data: slipway.data,
        canSendMail: false,
        now: clock,
        wakeOutbox: () => undefined,
      });
      const project = await slipway.data.owners.findOwner('crew');
      if (project?.kind !== 'project') throw new Error('no Project');
      for (let round = 0; round < 5; round++) {
        await slipway.join('crew', 'owner', 'dev');
        const ids = [await people.idOf('olga'), await people.idOf('dev')];
        const outcomes = await Promise.all(
          ids.map(async (id) => {
            const user = await slipway.data.owners.findOwnerById(id);
            if (user?.kind !== 'user') throw new Error('no user');
            return remove({ kind: 'user', user }, project, user).catch((error: Error) => error.message);
          }),
        );
        expect(outcomes.sort()).toEqual([
          'A Project must have at least one owner. Make someone else an owner first.',
          true,
        ]);
        const { userName } = { userName: 'olga' };
        await slipway.join('crew', 'owner', userName);
      }
    });

    it('always include an owner, even with concurrent changes on the command line', async () => {
      const { addToTeam, removeFromTeam } = slipway.owners;
      const by = 'command-line';
      const asOwner = (userName: string) => ({ projectName: 'crew', team: 'owner', userName, by }) as const;
      for (const { user } of await slipway.data.owners.listMembers(await people.idOf('crew'))) {
        if (user.name !== 'olga') await removeFromTeam(asOwner(user.name));
      }
      await expect(removeFromTeam(asOwner('olga'))).rejects.toThrow('must have at least one owner');
      await addToTeam(asOwner('dev'));
      const outcomes = await Promise.allSettled([
        removeFromTeam(asOwner('olga')),
        removeFromTeam(asOwner('dev')),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      for (const name of ['olga', 'dev']) await addToTeam(asOwner(name));
    });

    it('always include an owner whose account is active', async () => {
      const by = 'command-line';
      const change = { projectName: 'crew', team: 'owner', by } as const;
      await slipway.owners.addToTeam({ ...change, userName: 'dev' });
      const dev = await people.idOf('dev');
      await slipway.data.accountState.setDisabled(dev, 1);
      await expect(slipway.owners.removeFromTeam({ ...change, userName: 'olga' })).rejects.toThrow(
        'must have at least one owner',
      );
      await slipway.data.accountState.setDisabled(dev, null);
      await slipway.owners.removeFromTeam({ ...change, userName: 'dev' });
    });

    it("can't be changed by someone who lost the permission while the page was open", async () => {
      const { add: addPerson, remove } = createProjectPeople({
        data: slipway.data,
        canSendMail: false,
        now: clock,
        wakeOutbox: () => undefined,
      });
      const project = await slipway.data.owners.findOwner('crew');
      const user = await slipway.data.owners.findOwner('mass');
      if (project?.kind !== 'project' || user?.kind !== 'user') throw new Error('no Project or no user');
      const by = { kind: 'user', user } as const;
      await expect(addPerson(by, project, 'tess', 'tester')).rejects.toThrow('nothing at this address');
      const olga = await people.idOf('olga');
      await expect(remove(by, project, { id: olga })).rejects.toThrow('nothing at this address');
    });

    it('refuse forged forms', async () => {
      for (const [path, body] of [
        ['add', 'login=tess'],
        ['add', 'login=tess&team=boss'],
        ['x/save', ''],
        ['x/save', 'team=boss'],
      ]) {
        const csrf = await people.tokenOf('olga');
        const proof = encodeURIComponent(testPassword);
        const form = `csrf=${csrf}&proof=${proof}&${body}`;
        const answer = await people.postAsIs('olga', `${address}/${path}`, form);
        expect([path, body, answer.status]).toEqual([path, body, 400]);
      }
      const unknown = await people.post('olga', `${address}/nobody/remove`, {});
      expect([unknown.status, unknown.headers.location]).toEqual([303, address]);
    });

    it('are listed fifty per page, found by name, and counted on the page of the Project', async () => {
      await slipway.project('many', { members: { olga: 'owner' } });
      for (let at = 0; at < 60; at++) {
        const name = `extra-${String(at).padStart(2, '0')}`;
        const added = { name, email: null, passwordHash: null, administrator: false, by: 'command-line' };
        await slipway.owners.createUser({ ...added, by: 'command-line' });
        await slipway.join('many', 'tester', name);
      }
      const namesOn = (html: string) =>
        [
          ...html
            .slice(html.indexOf('class="title-block"'))
            .matchAll(/<bdi class="strong cut">([\w-]+)<\/bdi>/g),
        ].map(([, name]) => name);
      const address = '/organizations/many/people';
      const first = await people.get('olga', address);
      expect(first.text).toContain('62 people');
      expect(namesOn(first.text).length).toBe(50);
      expect(first.text).toContain('page=2');
      const second = await people.get('olga', `${address}?page=2`);
      expect(namesOn(second.text).length).toBe(12);
      expect(new Set([...namesOn(first.text), ...namesOn(second.text)]).size).toBe(62);
      expect(namesOn((await people.get('olga', `${address}?q=EXTRA-5`)).text).length).toBe(10);
      expect(namesOn((await people.get('olga', `${address}?q=nobody`)).text)).toEqual([]);
      expect(namesOn((await people.get('olga', `${address}?page=999999`)).text).length).toBe(12);
      expect(first.text.length).toBeLessThan(120_000);
      expect((await people.get('olga', '/organizations/many')).text).toContain('and 40 more');
    });

    it('can be added as a list, with a result for each', async () => {
      now += 15 * minute;
      await slipway.project('listed', { members: { olga: 'owner', dev: 'developer' } });
      const csrf = await people.tokenOf('olga');
      const login = 'Tess <tess@example.com>\nDEV, nobody@example.com; two words';
      const address = '/organizations/listed/people';
      const { text, status } = await people.post('olga', `${address}/add`, {
        login,
        team: 'tester',
        proof: testPassword,
        csrf,
      });
      expect(status).toBe(200);
      expect(text).toContain('1 of 4 added or invited.');
      for (const word of ['Invited', 'Has access', 'Unknown', 'Invalid']) expect(text).toContain(word);
      expect((await people.get('olga', address)).text).toContain('Cancel the invitation for tess');
    });

    it("can't be probed by trying many addresses", async () => {
      now += 15 * minute;
      await countEarlierAttempts(slipway, now, ['find people', await people.idOf('olga')], 58);
      for (const at of [1, 2]) expect((await add(`guess-${at}@example.com`, 'tester')).status).toBe(400);
      expect((await add('tess', 'tester')).status).toBe(429);
      const other = { login: 'tess', role: 'owner', proof: testPassword };
      await slipway.workspace('own', 'olga');
      expect((await people.post('olga', '/enterprises/own/people/add', other)).status).toBe(429);
      now += 15 * minute;
      expect((await add('tess', 'tester')).status).toBe(303);
    });
  });

  describe('settings', () => {
    it('include the description of a Project', async () => {
      const address = '/organizations/crew/settings';
      const { fields } = formOf((await people.get('olga', address)).text, 'save');
      expect(fields.description).toBe('Ships\r\nand more');
      const saved = await people.post('olga', `${address}/save`, { description: ' New\r\nwords ' });
      expect(saved.headers.location).toBe(`${address}?done=saved`);
      expect(await slipway.data.owners.findOwner('crew')).toMatchObject({ description: 'New\nwords' });
      expect((await actions('crew', 1))[0]).toBe('olga project.described crew');
      const refused = await people.post('olga', `${address}/save`, { description: 'y'.repeat(4097) });
      expect(refused.status).toBe(400);
      expect(formOf(refused.text, 'save').fields.description).toBe('y'.repeat(4097));
    });

    it('show the storage used and its limit', async () => {
      const { file_size: size } = await uploaded(slipway, { owner: 'admin' });
      const address = '/users/admin/settings';
      expect((await people.get('admin', address)).text).toContain(`${size} B`);
      const set = await people.post('admin', '/users/admin/quota/save', {
        storage: '50 GiB',
        builds: '10',
      });
      expect(set.headers.location).toBe(`${address}?done=quota`);
      const shown = (await people.get('admin', address)).text;
      expect(shown).toContain(' of 50 GiB');
      expect(shown).toContain('1 of 10');
      expect(formOf(shown, 'save').fields).toMatchObject({ storage: '50 GiB', builds: '10' });
      expect((await actions('admin', 1))[0]).toBe('admin quota.set admin: 50 GiB, 10 builds');
      for (const [storage, builds] of [
        ['0', ''],
        ['-1', ''],
        ['1 parsec', ''],
        ['99999999999 TiB', ''],
        ['', '1.5'],
        ['', '10000000000'],
      ] as const) {
        const refused = await people.post('admin', '/users/admin/quota/save', { storage, builds });
        expect([storage, builds, refused.status]).toEqual([storage, builds, 400]);
        expect(formOf(refused.text, 'save').fields).toMatchObject({ storage, builds });
      }
      await people.post('admin', '/users/admin/quota/save', { storage: '', builds: '' });
      expect(await slipway.data.quotas.find(await people.idOf('admin'))).toEqual({
        maxStorageBytes: null,
        maxBuilds: null,
        maxProjects: null,
      });
    });

    it('show limits to the people they apply to, and the form to administrators', async () => {
      const quota = { storage: '1MiB', builds: '' };
      expect((await people.post('admin', '/organizations/crew/quota/save', quota)).status).toBe(303);
      const shown = (await people.get('olga', '/organizations/crew/settings')).text;
      expect(shown).toContain('0 B of 1 MiB');
      expect(postedForms(shown).some(({ action }) => action.includes('/quota/'))).toBe(false);
    });
  });

  it('have addresses of their kind only', async () => {
    for (const end of ['settings', 'delete', 'audit', 'retention'])
      for (const place of ['users/crew', 'organizations/olga', 'organizations/nobody'])
        expect([place, (await people.get('admin', `/${place}/${end}`)).status]).toEqual([place, 404]);
    expect((await people.get('admin', '/organizations/olga/people')).status).toBe(404);
  });
});
