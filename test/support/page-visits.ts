/** Distribution pages as used by testers' phones and the iOS installer. */
import { parse } from 'plist';
import type { DistributionPage, PageRules } from '../../src/distributions/distribution-page.ts';
import type { Answer } from './http-client.ts';
import { get } from './interface-client.ts';
import type { TestService } from './test-service.ts';

export const phones = {
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  android:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  installer: 'com.apple.appstored/1.0 iOS/17.5.1 model/iPhone15,2 hwp/t8120 build/21F90 (6; dt:286)',
} as const;

/** The links in the HTML of the page. */
export interface PageLinks {
  /** Path with its ticket. */
  icon: string;
  /** Android: path of the file. */
  file: string | null;
  /** iOS: path of the manifest from the itms-services address. */
  manifest: string | null;
}

const unescaped = (html: string) => html.replaceAll('&amp;', '&');

export function linksOf(html: string): PageLinks {
  const text = unescaped(html);
  const itms = /itms-services:\/\/\?action=download-manifest&url=([^"&]+)/.exec(text)?.[1];
  const manifest = itms ? new URL(decodeURIComponent(itms)) : null;
  const icon = /src="(\/distributions\/[^"]+\/icon\?ticket=[^"]+)"/.exec(text)?.[1];
  if (!icon) throw new Error('the page has no icon');
  return {
    icon,
    file: /href="(\/distributions\/[^"]+\/file\?ticket=[^"]+)"/.exec(text)?.[1] ?? null,
    manifest: manifest ? `${manifest.pathname}${manifest.search}` : null,
  };
}

export interface ManifestAddresses {
  package: string;
  icon: string;
  metadata: Record<string, string>;
}

/** The addresses that Apple's installer reads from a manifest. */
export function readManifest(answer: Pick<Answer, 'text'>): ManifestAddresses {
  const { items } = parse(answer.text) as unknown as {
    items: { assets: { kind: string; url: string }[]; metadata: Record<string, string> }[];
  };
  const urlOf = (kind: string) => items[0]?.assets.find((asset) => asset.kind === kind)?.url ?? '';
  return {
    package: urlOf('software-package'),
    icon: urlOf('display-image'),
    metadata: items[0]?.metadata ?? {},
  };
}

/** Requests without cookies and without an Accept header for pages, like the iOS installer. */
export function asInstaller(slipway: TestService, address: string): Promise<Answer> {
  if (address === '') throw new Error('the page has no such link');
  return get(slipway, address, null, { headers: { 'User-Agent': phones.installer, Accept: '*/*' } });
}

export async function findPage(slipway: TestService, accessKey: string): Promise<DistributionPage> {
  const page = await slipway.data.distributions.findPage(accessKey);
  if (!page) throw new Error('the page is gone');
  return page;
}

export async function setRules(
  slipway: TestService,
  accessKey: string,
  changes: Partial<PageRules>,
): Promise<void> {
  const page = await findPage(slipway, accessKey);
  await slipway.data.pageSettings.saveRules(page.id, { ...page, ...changes, recount: false });
}
