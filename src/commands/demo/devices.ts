/** iPhones that testers register on pages, through the profile that iOS asks them to install. */
import { provisionedDevices } from './app-packages.ts';
import { type Demo, type DemoSubject, daysBefore } from './demo.ts';
import { send } from './demo-browser.ts';
import { unescapeHtml } from './html-forms.ts';
import { buildCms, createSigningIdentity } from './packages/signing-identity.ts';
import { writePropertyList } from './packages/write-property-list.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const devices = [
  {
    udid: provisionedDevices[0],
    product: 'iPhone14,5',
    version: '22B83',
    name: 'Aisha’s iPhone',
    page: 'tideline-ios Beta',
  },
  {
    udid: provisionedDevices[1],
    product: 'iPhone15,2',
    version: '22B83',
    name: 'Chloé',
    page: 'tideline-ios Beta',
  },
  {
    udid: '00008101-000654321E68001E',
    product: 'iPad13,4',
    version: '22B83',
    name: 'QA iPad',
    page: 'tideline-ios Main',
  },
  {
    udid: '00008130-000C75D236E0001C',
    product: 'iPhone16,1',
    version: '22B83',
    name: 'Reception',
    page: 'pulse-ios Client',
  },
];

export const planDevices: DemoSubject = (endsAt) =>
  devices.map((device, index) => ({
    at: daysBefore(endsAt, 24 - index * 5, 11),
    run: (demo) => registerDevice(demo, device),
  }));

async function registerDevice(demo: Demo, device: (typeof devices)[number]): Promise<void> {
  const page = demo.pages.get(device.page);
  if (!page) throw new Error(`the demo has no page ${device.page}`);
  const from = '203.0.113.77';
  const profile = await send(demo.server, `/distributions/${page.accessKey}/device.mobileconfig`, {
    from,
    headers: { 'user-agent': iphone },
  });
  const texts = new Map(
    [...profile.text.matchAll(/<key>([^<]*)<\/key>\s*<string>([^<]*)<\/string>/g)].map(
      ([, key = '', text = '']) => [key, unescapeHtml(text)],
    ),
  );
  const textOf = (key: string) => texts.get(key) ?? '';
  const answer = writePropertyList({
    UDID: device.udid,
    PRODUCT: device.product,
    VERSION: device.version,
    DEVICE_NAME: device.name,
    CHALLENGE: textOf('Challenge'),
  });
  const identity = createSigningIdentity({ commonName: 'iPhone Device' });
  const response = await send(demo.server, textOf('URL'), {
    method: 'POST',
    from,
    headers: { 'content-type': 'application/pkcs7-signature', 'user-agent': 'Profile/1.0' },
    body: new Uint8Array(buildCms({ content: answer, identity })),
  });
  if (response.status >= 400) throw new Error(`the device ${device.name} was refused: ${response.text}`);
}
