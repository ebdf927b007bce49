import type { Build } from '../../apps/app.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import type { Visitor } from './visitor.ts';

export interface TesterPageProps {
  frame: PageFrame;
  page: Pick<DistributionPage, 'accessKey' | 'name' | 'buildId' | 'updatedAt' | 'expiresAt'>;
  build: Pick<
    Build,
    | 'revision'
    | 'info'
    | 'sizeBytes'
    | 'createdAt'
    | 'branch'
    | 'commit'
    | 'label'
    | 'buildUrl'
    | 'verification'
  >;
  /** The update that is shown: its note and time. */
  update: DistributionUpdate;
  /** Whether this is the live build; else another one at its own address. */
  current: boolean;
  /** Path; works without cookies. */
  iconAddress: string;
  /** Ready to tap: the file (Android) or `itms-services:…` (iOS). Null when the page hands the build out no more. */
  installAddress: string | null;
  visitor: Visitor;
  device: KnownDevice | null;
  /** Of the server and the page; full sentences. */
  obstacles: readonly string[];
  /** Every build of the page once, last published first; one page of it. */
  history: readonly DistributionUpdate[];
  olderAddress: string | null;
  /** Set when `history` is not its first page. */
  newestAddress: string | null;
  /** Where a device is registered; for iOS builds with a list of devices. */
  registerAddress: string | null;
  /** The page's settings, for those who may change them. */
  manageAddress: string | null;
}
