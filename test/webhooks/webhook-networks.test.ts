/** The networks that webhooks can reach, for every notation of an address. */
import { describe, expect, it } from 'vitest';
import { createOutboundNetworks } from '../../src/core/outbound/outbound-networks.ts';
import { createFindTarget, type ResolvedAddress } from '../../src/core/outbound/outbound-target.ts';
import { readWebhookAddress, shortAddress } from '../../src/webhooks/webhook-address.ts';

const publicAddresses = [
  '93.184.216.34',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450::5',
];

const closed = {
  unspecified: ['0.0.0.0', '::', '0.1.2.3'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'site-local': ['fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'benchmarks and protocols': ['198.18.0.1', '192.0.0.1', '2001::1', '2001:2::1', '2001:10::1', '100::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.88.99.1'],
  'IPv4 in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:93.184.216.34',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  '6to4': ['2002:7f00:1::', '2002:a9fe:a9fe::'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '100.100.100.200', '::ffff:a9fe:a9fe'],
  'no address': ['', 'localhost', '1.2.3', 'apps.example.com'],
};

describe('webhook networks', () => {
  const internet = createOutboundNetworks([]);

  it('include the public internet over https only', () => {
    for (const address of publicAddresses) {
      expect(internet.mayReach(address, true), address).toBe(true);
      expect(internet.mayReach(address, false), address).toBe(false);
    }
  });

  it.each(Object.entries(closed))('exclude %s', (_name, addresses) => {
    for (const address of addresses) expect(internet.mayReach(address, true), address).toBe(false);
  });

  it('include networks that an administrator allows, also over http', () => {
    const own = createOutboundNetworks(['10.1.0.0/16', '192.168.7.7', 'fd12::/16']);
    for (const address of ['10.1.2.3', '192.168.7.7', 'fd12::9', '::ffff:10.1.2.3']) {
      expect(own.mayReach(address, false), address).toBe(true);
    }
    for (const address of ['10.2.0.1', '192.168.7.8', 'fd13::9', '127.0.0.1']) {
      expect(own.mayReach(address, true), address).toBe(false);
    }
  });

  it('never include cloud metadata services, even inside an allowed network', () => {
    const all = createOutboundNetworks(['0.0.0.0/0', '::/0']);
    expect(all.mayReach('127.0.0.1', false)).toBe(true);
    for (const address of closed.metadata) expect(all.mayReach(address, true), address).toBe(false);
  });
});

describe('webhook URL', () => {
  const nowhere = async () => [];
  const decideResult = (address: string, resolved: readonly string[] = [], networks: string[] = []) => {
    const found = resolved.map(
      (one): ResolvedAddress => ({ address: one, family: one.includes(':') ? 6 : 4 }),
    );
    const resolve = async () => found;
    return createFindTarget({ networks: createOutboundNetworks(networks), resolve })(address);
  };

  it.each([
    ['ftp://example.com/', 'scheme'],
    ['file:///etc/passwd', 'form'],
    ['gopher://example.com/', 'scheme'],
    ['javascript:alert(1)', 'form'],
    ['hooks.example.com/x', 'form'],
    ['https://', 'form'],
    ['https://1.2.3.4.5/', 'form'],
    ['https://me:secret@example.com/', 'login'],
    ['https://me@example.com/', 'login'],
    ['https://example.com:25/', 'port'],
    ['https://example.com:22/', 'port'],
    ['http://example.com:1023/', 'port'],
    [`https://example.com/${'a'.repeat(2048)}`, 'long'],
    [`https://example.com/${'ü'.repeat(1000)}`, 'long'],
  ])('is rejected by its syntax: %s', (address, problem) => {
    expect(readWebhookAddress(address)).toEqual({ problem });
  });

  it.each([
    'https://example.com',
    'https://example.com:8443/x?y=z',
    'http://example.com:80/',
    'https://x:65535/',
  ])('is accepted by its syntax: %s', (address) => expect(readWebhookAddress(address)).toHaveProperty('url'));

  it('is shown without the part that can be secret', () => {
    const shown = (address: string) => shortAddress(new URL(address));
    expect(shown('https://hooks.slack.com/services/T0000/B0000/abcdefghijklmnop1234')).toBe(
      'https://hooks.slack.com/…1234',
    );
    expect(shown('https://example.com/?key=abcdefghijklmnopqrstuvwxyz')).toBe('https://example.com/…wxyz');
    expect(shown('https://example.com/short-path')).toBe('https://example.com/…');
    expect(shown('https://example.com:8443/')).toBe('https://example.com:8443');
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.1/',
    'https://0/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:169.254.169.254]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166/',
    'http://93.184.216.34/',
  ])('is rejected when written as %s', async (address) => {
    expect(
      await createFindTarget({ networks: createOutboundNetworks([]), resolve: nowhere })(address),
    ).toEqual({ fault: 'not-allowed', detail: null });
  });

  it('is rejected when one of the IP addresses of its host is not allowed', async () => {
    expect(await decideResult('https://x.example/', ['93.184.216.34'])).toHaveProperty('url');
    expect(await decideResult('https://x.example/', ['93.184.216.34', '127.0.0.1'])).toEqual({
      fault: 'not-allowed',
      detail: null,
    });
    expect(await decideResult('https://x.example/', ['93.184.216.34', '::1'])).toEqual({
      fault: 'not-allowed',
      detail: null,
    });
    expect(await decideResult('https://x.example/', ['10.0.0.1'])).toEqual({
      fault: 'not-allowed',
      detail: null,
    });
    expect(await decideResult('https://localhost./', ['127.0.0.1'])).toEqual({
      fault: 'not-allowed',
      detail: null,
    });
    expect(await decideResult('https://x.example/', [])).toEqual({ fault: 'no-such-name', detail: null });
    expect(
      await decideResult(
        'https://x.example/',
        Array.from({ length: 65 }, () => '1.1.1.1'),
      ),
    ).toEqual({ fault: 'not-allowed', detail: null });
    expect(await decideResult('http://x.example/', ['10.0.0.1'], ['10.0.0.0/8'])).toHaveProperty('url');
    expect(await decideResult('http://x.example/', ['10.0.0.1', '93.184.216.34'], ['10.0.0.0/8'])).toEqual({
      fault: 'not-allowed',
      detail: null,
    });
  });
});
