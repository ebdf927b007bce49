/** The rules that form fields declare, compared with the responses of the server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProjectPath, newWorkspacePath } from '../../src/owners/owner-paths.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { readElements } from '../web/elements.ts';

const app = '/users/dora/platforms/android/apps/com.example.tides';
/** Page and last part of the action of each form, and the fields that declare a rule. */
const forms = [
  [newProjectPath, 'projects/new', ['name']],
  [newWorkspacePath, 'workspaces/new', ['name']],
  ['/users/dora/groups', 'create', ['name']],
  [`${app}/people/invite-links`, 'create', ['name']],
  [`${app}/pages/new`, 'create', ['name']],
  [`${app}/binaries/1/publish`, 'publish', ['page']],
  [`${app}/hooks`, 'create', ['url']],
  ['/settings', 'change', ['email']],
  ['/settings/keys', 'create', ['name']],
  ['/administration/branding', 'save', ['accent']],
  ['/users/dora/settings', 'quota/save', ['builds', 'projects']],
] as const;

describe('fields of forms', () => {
  let slipway: AccountsService;
  let admin: Browser;
  let dora: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['dora']);
    dora = await slipway.browser('dora');
    admin = await slipway.browser('admin');
    const key = await slipway.user('erik');
    await uploaded(slipway, { owner: 'erik', key, file: buildApk({ packageName: 'com.example.tides' }) });
  });
  afterAll(() => slipway.close());

  it.each(forms)('of %s (%s) repeat the rules of the server', async (page, action, names) => {
    const visitor = /admin|quota|workspaces/.test(page + action) ? admin : dora;
    const path = page.replace(app, app.replace('dora', 'erik'));
    const browser = path === page ? visitor : await slipway.browser('erik');
    const { text } = await browser.get(path);
    const [formText = ''] = [...text.matchAll(/<form [^>]*method="post"[\s\S]*?<\/form>/g)]
      .map(([found]) => found)
      .filter((found) => formOf(text, action).action === readElements(found)[0]?.attributes.get('action'));
    const declared = readElements(formText).filter(
      ({ attributes }) => attributes.has('data-missing') || attributes.has('data-mismatch'),
    );
    expect(declared.map(({ attributes }) => attributes.get('name'))).toEqual(names);
    for (const { attributes } of declared) {
      const name = attributes.get('name') ?? '';
      const answerTo = async (value: string) => (await browser.submit(path, action, { [name]: value })).text;
      const missing = attributes.get('data-missing');
      const mismatch = attributes.get('data-mismatch');
      expect(attributes.has('required')).toBe(missing !== undefined);
      if (missing !== undefined) expect(errorsIn(await answerTo(''))).toContain(missing);
      if (mismatch !== undefined) expect(errorsIn(await answerTo('?'))).toContain(mismatch);
      const pattern = attributes.get('pattern');
      if (pattern !== undefined) expect(new RegExp(`^(?:${pattern})$`, 'v').test('?')).toBe(false);
      const limit = Number(attributes.get('maxlength'));
      expect(limit).toBeGreaterThan(0);
      expect(errorsIn(await answerTo('a'.repeat(limit + 1)))).not.toEqual([]);
    }
  });
});

/** The sentences below fields. */
function errorsIn(html: string): string[] {
  return [...html.matchAll(/<ul class="field-errors"[^>]*>([\s\S]*?)<\/ul>/g)].flatMap(([, list = '']) =>
    readElements(list).flatMap(({ tag, text }) => (tag === 'li' ? [text] : [])),
  );
}
