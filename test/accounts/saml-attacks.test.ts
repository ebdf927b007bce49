/** Responses that a SAML provider never sends: each gets a page with the reason, and leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AssertionFields,
  answer,
  assertionOf,
  createSamlKey,
  encode,
  encrypt,
  fieldsFor,
  metadataOf,
  newId,
  type ResponseFields,
  responseOf,
  type SamlProvider,
  sign,
  unsigned,
} from '../support/saml-provider.ts';
import { type SamlService, startSamlService } from '../support/saml-service.ts';

let saml: SamlService;
let services: Record<(typeof places)[number], SamlService>;
const places = ['the installation', 'a Workspace'] as const;
beforeAll(async () => {
  const settings = { SLIPWAY_SAML_SIGN_UP: 'open', SLIPWAY_SAML_CONFIRMS_EMAIL: 'on' };
  const people = ['mina', 'admina'];
  services = {
    'the installation': await startSamlService('sqlite', people, { settings }),
    'a Workspace': await startSamlService('sqlite', people, { workspace: 'quay' }),
  };
});
afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
});
const forPlaces = (name: string, tests: () => void) =>
  describe.each(places)(`at the provider of %s, ${name}`, (place) => {
    beforeAll(() => {
      saml = services[place];
    });
    tests();
  });

type Attack = (provider: SamlProvider, id: string) => string | Buffer;

const foreign = createSamlKey();
const evilName = 'admina-there';

const signedAssertion = (provider: SamlProvider, changes: Partial<AssertionFields> = {}) =>
  sign(assertionOf(fieldsFor(provider, changes)), provider.keys);
const signatureOf = (xml: string) => /<ds:Signature [\s\S]*?<\/ds:Signature>/.exec(xml)?.[0] ?? '';
const around = (provider: SamlProvider, inner: string, fields: ResponseFields = {}) =>
  unsigned(responseOf(provider, inner, fields));
/** The same assertion about another person, without a signature. */
const evilOf = (provider: SamlProvider, changes: Partial<AssertionFields> = {}) =>
  unsigned(assertionOf(fieldsFor(provider, { nameId: evilName, ...changes })));
const inResponse =
  (changes: (provider: SamlProvider) => Partial<AssertionFields>, fields: ResponseFields = {}): Attack =>
  (provider, id) =>
    around(provider, signedAssertion(provider, { inResponseTo: id, ...changes(provider) }), {
      inResponseTo: id,
      ...fields,
    });
/** Signature wrapping, numbered as by SAML Raider. */
const wrapping: Record<string, Attack> = {
  'XSW 1: the signed response in the signature of another one': (provider, id) => {
    const signed = sign(responseOf(provider, evilOf(provider), { inResponseTo: id }), provider.keys);
    const signature = signatureOf(signed);
    const evil = responseOf(provider, evilOf(provider), { inResponseTo: id });
    return evil.replace('<?signature?>', signature.replace('</ds:Signature>', `${signed}</ds:Signature>`));
  },
  'XSW 2: the signed response before its detached signature': (provider, id) => {
    const signed = sign(responseOf(provider, evilOf(provider), { inResponseTo: id }), provider.keys);
    const evil = responseOf(provider, evilOf(provider), { inResponseTo: id });
    return evil.replace('<?signature?>', `${signed.replace(signatureOf(signed), '')}${signatureOf(signed)}`);
  },
  'XSW 3: another assertion before the signed one': (provider, id) =>
    around(provider, evilOf(provider) + signedAssertion(provider, { inResponseTo: id })),
  'XSW 4: the signed assertion in another one': (provider, id) => {
    const signed = signedAssertion(provider, { inResponseTo: id });
    return around(provider, evilOf(provider).replace('</saml:Assertion>', `${signed}</saml:Assertion>`));
  },
  'XSW 5: another assertion with the signature, and the signed one behind it': (provider, id) => {
    const signed = signedAssertion(provider, { inResponseTo: id });
    const evil = assertionOf(fieldsFor(provider, { nameId: evilName, inResponseTo: id }));
    const bare = signed.replace(signatureOf(signed), '');
    return around(provider, evil.replace('<?signature?>', signatureOf(signed)) + bare);
  },
  'XSW 6: the signed assertion in the signature of another one': (provider, id) => {
    const signed = signedAssertion(provider, { inResponseTo: id });
    const evil = assertionOf(fieldsFor(provider, { nameId: evilName, inResponseTo: id }));
    const bare = signed.replace(signatureOf(signed), '');
    const signature = signatureOf(signed).replace('</ds:Signature>', `${bare}</ds:Signature>`);
    return around(provider, evil.replace('<?signature?>', signature));
  },
  'XSW 7: another assertion in extensions': (provider, id) => {
    const signed = signedAssertion(provider, { inResponseTo: id });
    return around(provider, `<samlp:Extensions>${evilOf(provider)}</samlp:Extensions>${signed}`);
  },
  'XSW 8: the signed assertion in an object of the signature': (provider, id) => {
    const signed = signedAssertion(provider, { inResponseTo: id });
    const bare = signed.replace(signatureOf(signed), '');
    const object = `<ds:Object>${bare}</ds:Object></ds:Signature>`;
    const evil = assertionOf(fieldsFor(provider, { nameId: evilName, inResponseTo: id }));
    return around(
      provider,
      evil.replace('<?signature?>', signatureOf(signed).replace('</ds:Signature>', object)),
    );
  },
  'two signed assertions': (provider, id) =>
    around(
      provider,
      signedAssertion(provider, { inResponseTo: id }) + signedAssertion(provider, { inResponseTo: id }),
    ),
  'an assertion in another namespace next to the signed one': (provider, id) =>
    around(
      provider,
      `${signedAssertion(provider, { inResponseTo: id })}<x:Assertion xmlns:x="urn:x"></x:Assertion>`,
    ),
  'an ID twice': (provider, id) => {
    const one = newId();
    return around(provider, signedAssertion(provider, { inResponseTo: id, id: one }), { id: one });
  },
  'a signature about another ID': (provider, id) =>
    around(
      provider,
      signedAssertion(provider, { inResponseTo: id }).replace(/ ID="[^"]+"/, ` ID="${newId()}"`),
    ),
};

const signatures: Record<string, [problem: string, Attack]> = {
  'no signature at all': [
    'not signed with a key',
    (provider, id) => around(provider, evilOf(provider, { inResponseTo: id })),
  ],
  'an unsigned assertion in a signed response': [
    'not signed with a key',
    (provider, id) =>
      sign(responseOf(provider, evilOf(provider, { inResponseTo: id }), { inResponseTo: id }), provider.keys),
  ],
  'a signed assertion in a response with a wrong signature': [
    'not signed with a key',
    (provider, id) =>
      sign(
        responseOf(provider, signedAssertion(provider, { inResponseTo: id }), { inResponseTo: id }),
        foreign,
      ),
  ],
  'a changed assertion': [
    'not signed with a key',
    (provider, id) =>
      around(provider, signedAssertion(provider, { inResponseTo: id }).replace('mina-there', evilName)),
  ],
  'the key of another provider': [
    'not signed with a key',
    (provider, id) => answer({ ...provider, keys: foreign }, { inResponseTo: id }),
  ],
  'the key of another provider with the certificate of this one': [
    'not signed with a key',
    (provider, id) =>
      around(
        provider,
        sign(assertionOf(fieldsFor(provider, { inResponseTo: id })), foreign, { shown: provider.keys }),
      ),
  ],
  'SHA-1': [
    'an algorithm that is not accepted',
    (provider, id) =>
      around(
        provider,
        sign(assertionOf(fieldsFor(provider, { inResponseTo: id })), provider.keys, { kind: 'sha1' }),
      ),
  ],
  'an HMAC with the certificate as its secret': [
    'an algorithm that is not accepted',
    (provider, id) =>
      around(
        provider,
        sign(assertionOf(fieldsFor(provider, { inResponseTo: id })), provider.keys, { kind: 'hmac' }),
      ),
  ],
};

const minute = 60_000;
const statements: Record<string, [problem: string, Attack]> = {
  'another audience': ['for another service', inResponse(() => ({ audience: 'https://other.example.com' }))],
  'another recipient': [
    'meant for another address',
    inResponse(() => ({ recipient: 'https://other.example.com/acs' })),
  ],
  'another destination': [
    'meant for another address',
    inResponse(() => ({}), { destination: 'https://other.example.com/acs' }),
  ],
  'another issuer of the assertion': [
    'from another provider',
    inResponse(() => ({ issuer: 'https://other.example.com' })),
  ],
  'another issuer of the response': [
    'from another provider',
    inResponse(() => ({}), { issuer: 'https://other.example.com' }),
  ],
  'an expired confirmation': [
    'has expired or is not valid yet',
    inResponse(({ now }) => ({ notOnOrAfter: now() - 2 * minute })),
  ],
  'an old assertion': [
    'has expired or is not valid yet',
    inResponse(({ now }) => ({ issuedAt: now() - 12 * minute })),
  ],
  'an assertion from the future': [
    'has expired or is not valid yet',
    inResponse(({ now }) => ({ issuedAt: now() + 2 * minute, notBefore: now() + 2 * minute })),
  ],
  'a transient identifier': [
    'permanent identifier',
    inResponse(() => ({ format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' })),
  ],
  'an empty identifier': ['permanent identifier', inResponse(() => ({ nameId: '' }))],
  'an identifier that is too long': ['permanent identifier', inResponse(() => ({ nameId: 'x'.repeat(256) }))],
  'a comment in the identifier': ['not valid', inResponse(() => ({ nameId: 'admina<!---->-there' }))],
  'a CDATA section in the identifier': [
    'not valid',
    inResponse(() => ({ nameId: '<![CDATA[admina-there]]>' })),
  ],
  'an element in the identifier': ['not valid', inResponse(() => ({ nameId: 'admina<x>-there</x>' }))],
  'an attribute of the identifier twice': [
    'not valid',
    inResponse(() => ({ format: 'urn:x" Format="urn:y' })),
  ],
  'a response that differs from its assertion in what it answers': [
    'answers another request',
    inResponse(() => ({}), { inResponseTo: newId() }),
  ],
  'a status of failure': [
    'declined the sign-in',
    inResponse(() => ({}), { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }),
  ],
};

const entity = (body: string) => `<!DOCTYPE x [${body}]>`;
const documents: Record<string, [problem: string, Attack]> = {
  'an external entity': [
    'not valid',
    (provider, id) =>
      entity('<!ENTITY e SYSTEM "file:///etc/passwd">') +
      answer(provider, { inResponseTo: id, nameId: '&e;' }),
  ],
  'an entity bomb': [
    'not valid',
    (provider) => {
      const layers = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
      return entity(`<!ENTITY e0 "ha">${layers.join('')}`) + answer(provider, { nameId: '&e9;' });
    },
  ],
  'a document type in lower case': ['not valid', (provider) => `<!doctype x>${answer(provider)}`],
  'UTF-16': ['not valid', (provider) => Buffer.from(`\ufeff${answer(provider)}`, 'utf16le')],
  'UTF-7 by declaration': [
    'not valid',
    (provider) => `<?xml version="1.0" encoding="UTF-7"?>${answer(provider)}`,
  ],
  'bytes that are no UTF-8': ['not valid', () => Buffer.from([0x3c, 0xff, 0xfe])],
  'a processing instruction': ['not valid', (provider) => `<?php x?>${answer(provider)}`],
  'more than 256 KiB': ['not valid', (provider) => answer(provider) + ' '.repeat(256 * 1024)],
  'too many levels': ['not valid', () => '<a>'.repeat(20_000) + '</a>'.repeat(20_000)],
  'too many elements': ['not valid', () => `<a>${'<b/>'.repeat(10_000)}</a>`],
  'no XML': ['not valid', () => 'hello'],
  'malformed XML': ['not valid', () => '<a><b></a>'],
  'another message': ['not valid', (provider) => metadataOf(provider)],
  'no assertion': ['not valid', (provider) => around(provider, '')],
};

const encrypted = (
  inner: (provider: SamlProvider, id: string) => string,
  kind: Parameters<typeof encrypt>[2] = {},
  certificate = () => saml.own.certificate,
): Attack => {
  return (provider, id) =>
    around(provider, encrypt(inner(provider, id), certificate(), kind), { inResponseTo: id });
};
const good = (provider: SamlProvider, id: string) => signedAssertion(provider, { inResponseTo: id });
const encryption: Record<string, [problem: string, Attack]> = {
  CBC: ['AES-GCM with RSA-OAEP is required', encrypted(good, { cipher: 'aes256-cbc' })],
  'PKCS #1 v1.5': ['AES-GCM with RSA-OAEP is required', encrypted(good, { transport: 'pkcs1' })],
  'the key of another server': ['can’t be decrypted', encrypted(good, {}, () => foreign.certificate)],
  'a changed cipher text': [
    'can’t be decrypted',
    (provider, id) =>
      (encrypted(good)(provider, id) as string).replace(
        /(CipherValue>[A-Za-z0-9+/]{40})(.)([^<]*<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/,
        (_, before, one, after) => `${before}${one === 'A' ? 'B' : 'A'}${after}`,
      ),
  ],
  'an unsigned assertion inside': [
    'not signed with a key',
    encrypted((provider, id) => evilOf(provider, { inResponseTo: id })),
  ],
  'SHA-1 inside': [
    'an algorithm that is not accepted',
    encrypted((provider, id) =>
      sign(assertionOf(fieldsFor(provider, { inResponseTo: id })), provider.keys, { kind: 'sha1' }),
    ),
  ],
  'a document type inside': ['not valid', encrypted((provider, id) => `<!DOCTYPE x>${good(provider, id)}`)],
  'two assertions inside': [
    'more than the one signed assertion',
    encrypted((provider, id) => `<x>${good(provider, id)}${good(provider, id)}</x>`),
  ],
};

const wrapped = Object.entries(wrapping).map(
  ([name, attack]) => [name, 'more than the one signed assertion', attack] as const,
);
const others = [signatures, statements, documents, encryption].flatMap((table) =>
  Object.entries(table).map(([name, [problem, attack]]) => [name, problem, attack] as const),
);

forPlaces('a response with', () => {
  it.each([...wrapped, ...others])('%s is refused: “%s”', async (_name, problem, attack) => {
    const way = await saml.begin();
    const before = await leftBehind();
    const xml = attack(saml.provider, way.id);
    const refused = await saml.post(typeof xml === 'string' ? encode(xml) : xml.toString('base64'));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(refused.text).toContain(problem);
    expect(refused.headers['set-cookie']?.join() ?? '').not.toMatch(/slipway_(?:saml|session)/);
    expect(await leftBehind()).toEqual(before);
    // The sign-in can still be finished.
    const posted = await saml.post(encode(answer(saml.provider, { inResponseTo: way.id })));
    expect((await saml.finish(posted, way.cookie)).status).toBe(303);
  });

  async function leftBehind() {
    const owner = await saml.slipway.data.owners.findOwner('admina');
    return {
      identities: await saml.slipway.data.identities.listIdentities(owner?.id ?? ''),
      users: (await saml.slipway.data.owners.findOwner(evilName)) ?? null,
    };
  }
});

forPlaces('the same response', () => {
  it('is refused the second time, whichever side began', async () => {
    const way = await saml.begin();
    // The server answers a sign-in that the provider began by asking it itself.
    for (const [inResponseTo, status] of [
      [way.id, 303],
      [null, 200],
    ] as const) {
      const response = encode(answer(saml.provider, { inResponseTo }));
      const posted = await saml.post(response);
      const again = await saml.post(response);
      expect(again.status).toBe(400);
      expect(again.text).toContain('has already been used');
      expect((await saml.finish(posted, way.cookie)).status).toBe(status);
    }
  });

  it('is remembered until it would be refused as expired', async () => {
    const { clock } = saml.slipway;
    const way = await saml.begin();
    const response = encode(answer(saml.provider, { inResponseTo: way.id }));
    expect((await saml.post(response)).status).toBe(303);
    for (const minutes of [4, 1.9, 0.2]) {
      clock.now += minutes * minute;
      expect((await saml.post(response)).text).toMatch(/has already been used|has expired/);
    }
    expect((await saml.post(response)).text).toContain('has expired');
  });
});

forPlaces('a response to', () => {
  it('the request of another browser signs nobody in', async () => {
    const attacker = await saml.begin();
    const victim = await saml.begin();
    const posted = await saml.post(encode(answer(saml.provider, { inResponseTo: attacker.id })));
    for (const cookie of [victim.cookie, '']) {
      const finished = await saml.finish(posted, cookie);
      expect(finished.status).toBe(400);
      expect(finished.text).toContain('started in another browser');
      expect(finished.headers['set-cookie']?.join()).not.toContain('slipway_session');
    }
  });

  it('a request that was answered already signs nobody in', async () => {
    const way = await saml.begin();
    const answers = [1, 2].map(() => encode(answer(saml.provider, { inResponseTo: way.id })));
    expect((await saml.finish(await saml.post(answers[0] ?? ''), way.cookie)).status).toBe(303);
    expect((await saml.finish(await saml.post(answers[1] ?? ''), way.cookie)).status).toBe(400);
  });
});

describe('an account', () => {
  beforeAll(() => {
    saml = services['the installation'];
  });

  it('is not taken over by an address that nobody confirmed, or that is linked already', async () => {
    const enter = async (nameId: string, email: string) => {
      const way = await saml.begin();
      const fields = { nameId, inResponseTo: way.id, attributes: [['email', email]] as const };
      return saml.finish(await saml.post(encode(answer(saml.provider, fields))), way.cookie);
    };
    expect((await enter('mina-here', 'mina@example.com')).status).toBe(303);
    const other = await enter('someone', 'MINA@example.com');
    expect([other.status, other.text]).toEqual([403, expect.stringContaining('linked to another account')]);
  });

  it('gets no address from a provider that confirms none', async () => {
    const careful = await startSamlService('sqlite', ['mina'], {
      settings: { SLIPWAY_SAML_SIGN_UP: 'open' },
    });
    try {
      const way = await careful.begin();
      const attributes = [['email', 'mina@example.com']] as const;
      const fields = { nameId: 'thief', inResponseTo: way.id, attributes };
      const posted = await careful.post(encode(answer(careful.provider, fields)));
      const entered = await careful.finish(posted, way.cookie);
      expect(entered.status).toBe(303);
      const { data } = careful.slipway;
      expect(await data.owners.findOwner('mina-2')).toMatchObject({ email: null });
      expect(await data.identities.listIdentities((await data.owners.findOwner('mina'))?.id ?? '')).toEqual(
        [],
      );
    } finally {
      await careful.close();
    }
  });
});
