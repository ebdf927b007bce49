import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { checkEmail, createOwnerOperations, type OwnerOperations } from '../../src/owners/create-owners.ts';
import { checkName, maxDescriptionLength, maxNameLength } from '../../src/owners/owner.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { dialects } from '../support/test-database.ts';

describe('owner names', () => {
  it.each(['a', '0', 'A-b_c', '9lives', 'x'.repeat(maxNameLength), 'administrator', 'v1'])(
    'may be %s',
    (name) => {
      expect(checkName('user', name)).toBe(name);
    },
  );

  it.each([
    '',
    '-a',
    '_a',
    '.a',
    'a.b',
    'a b',
    'a/b',
    'ä',
    'a\n',
    ' a',
    '..',
    'a%2f',
    'Ａ',
    'x'.repeat(maxNameLength + 1),
  ])('are refused with an explanation: %j', (name) => {
    expect(() => checkName('project', name)).toThrow(/^a project name must have 1 to 64 of the letters/);
  });

  it.each([
    'api',
    'API',
    'Apps',
    'users',
    'organizations',
    'enterprises',
    'distributions',
    'healthz',
    'sign-in',
    'new',
  ])("can't be %s, which addresses use", (name) => {
    for (const kind of ['user', 'project', 'workspace'] as const) {
      expect(() => checkName(kind, name)).toThrow(`the name ${name} is reserved`);
    }
  });

  it.each([
    '',
    'a',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b\n',
    '<a@b>',
    `${'x'.repeat(250)}@b.cd`,
    'a\u200b@b.cd',
    'a\u202e@b.cd',
    'a\u001b@b.cd',
    '\ud800@b.cd',
    '(c)a@b.cd',
    'a\\@b.cd',
    'a@b.cd/x',
    'a@ex%61mple.cd',
    'a@[127.0.0.1]',
    'a@exämple.cd/x',
    'a@\u202eb.cd',
  ])("differ from email addresses, which can't be %j", (email) => {
    expect(() => checkEmail(email)).toThrow(/is not a valid email address$/);
  });

  it.each(["o'brien@example.com", "!#$%&'*+-/=?^_`{|}~.a@b.cd", 'jörg@b.cd'])(
    'differ from email addresses, which may be %s',
    (email) => expect(checkEmail(email)).toBe(email),
  );

  it.each(['exämple.com', 'exa\u0308mple.com', 'EXÄMPLE.com', 'xn--exmple-cua.com', 'exämple。com'])(
    'of the domain %j are ASCII in email addresses',
    (domain) => {
      expect(checkEmail(`Jose\u0301@${domain}`)).toBe('Jose\u0301@xn--exmple-cua.com');
    },
  );
});

describe.each(dialects)('namespaces on %s', (dialect) => {
  let test: TestData;
  let makers: OwnerOperations[];
  beforeAll(async () => {
    test = await openTestData(dialect);
    const others = await Promise.all([1, 2, 3].map(() => test.openSecond()));
    makers = [test, ...others].map(({ data }) => createOwnerOperations({ data, now: () => 1 }));
  });
  afterAll(() => test.close());

  const user = (maker: OwnerOperations | undefined, name: string, email: string | null = null) =>
    maker?.createUser({ name, email, passwordHash: null, administrator: false, by: 'command-line' });
  const project = (maker: OwnerOperations | undefined, name: string, workspaceName: string | null = null) =>
    maker?.createProject({ name, description: '', workspaceName, ownerName: null, by: 'command-line' });
  const workspace = (maker: OwnerOperations | undefined, name: string, iconUrl: string | null = null) =>
    maker?.createWorkspace({ name, displayName: null, iconUrl, ownerName: null, by: 'command-line' });
  const outcomes = async (work: (Promise<unknown> | undefined)[]) => {
    const ends = await Promise.allSettled(work);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    return { made: ends.length - refused.length, refused };
  };
  const expectConflicts = (errors: unknown[]) => {
    for (const error of errors) expect(error).toMatchObject({ name: 'AppError', kind: 'conflict' });
  };

  it('assign a name to one of many concurrent Users and Projects, ignoring case', async () => {
    const spellings = ['race', 'Race', 'RACE', 'rAcE'];
    const { made, refused } = await outcomes(
      spellings.flatMap((name, index) => [user(makers[index], name), project(makers[3 - index], name)]),
    );
    expect(made).toBe(1);
    expect(refused).toHaveLength(7);
    expectConflicts(refused);
    const owner = await test.data.owners.findOwner('race');
    const ids = await Promise.all(
      spellings.map(async (name) => (await test.data.owners.findOwner(name))?.id),
    );
    expect(new Set(ids)).toEqual(new Set([owner?.id]));
  });

  it('store nothing of a refused User, not even an audit row', async () => {
    await user(makers[0], 'whole', 'whole@example.com');
    const { refused } = await outcomes([user(makers[1], 'other', 'Whole@Example.com')]);
    expectConflicts(refused);
    expect(await test.data.owners.findOwner('other')).toBeNull();
    await user(makers[1], 'other', 'other@example.com');
  });

  it('assign an email address to one User, ignoring case', async () => {
    const { made, refused } = await outcomes([
      user(makers[0], 'mail-1', 'same@example.com'),
      user(makers[1], 'mail-2', 'SAME@example.com'),
      user(makers[2], 'mail-3', 'same@EXAMPLE.com'),
    ]);
    expect(made).toBe(1);
    expectConflicts(refused);
    const { made: without } = await outcomes([user(makers[0], 'mail-4'), user(makers[1], 'mail-5')]);
    expect(without).toBe(2);
  });

  it('are separate for Workspaces', async () => {
    await user(makers[0], 'shared');
    expect(await workspace(makers[0], 'Shared')).toMatchObject({ name: 'Shared', displayName: 'Shared' });
    const { made, refused } = await outcomes(makers.map((maker) => workspace(maker, 'sHARED')));
    expect(made).toBe(0);
    expectConflicts(refused);
  });

  it('refuse an unknown Workspace, owner or team, a description that is too long, and an invalid icon address', async () => {
    await expect(project(makers[0], 'lost', 'nowhere')).rejects.toThrow('there is no Workspace nowhere');
    await expect(workspace(makers[0], 'wrong-icon', 'javascript:alert(1)')).rejects.toThrow(/icon address/);
    await expect(workspace(makers[0], 'wrong-icon', '//evil.example/i.png')).rejects.toThrow(/icon address/);
    const long = { name: 'long', workspaceName: null, ownerName: null, by: 'command-line' } as const;
    const description = 'x'.repeat(maxDescriptionLength + 1);
    await expect(makers[0]?.createProject({ ...long, description })).rejects.toThrow(/at most 4096/);
    await expect(makers[0]?.createProject({ ...long, description: '', ownerName: 'nobody' })).rejects.toThrow(
      'there is no user nobody',
    );
    const change = { projectName: 'race', team: 'boss', userName: 'whole', by: 'command-line' } as const;
    await expect(makers[0]?.addToTeam(change)).rejects.toThrow(
      'a team is one of owner, developer, auditor, tester, not boss',
    );
    expect(await test.data.owners.findOwner('long')).toBeNull();
  });

  it('distinguish a refusal from a defect', async () => {
    await test.data.owners.insertWorkspace({ name: 'taken', displayName: '', iconUrl: '', createdAt: 1 });
    const refused = workspace(makers[0], 'taken');
    await expect(refused).rejects.toBeInstanceOf(AppError);
    await expect(refused).rejects.toThrow('the name taken is taken');
  });
});
