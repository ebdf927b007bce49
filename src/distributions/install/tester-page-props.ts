import type { Build } from '../../apps/app.ts';
import type { BuildField } from '../../apps/build-fields.ts';
import type { PageState } from '../../apps/distributions/page-state.ts';
import type { Visitor } from '../../core/visitor.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';

export interface TesterPageProps {
  frame: PageFrame;
  /** The Workspace that determines the brand; null without one. */
  workspace: { id: string } | null;
  page: Pick<DistributionPage, 'accessKey' | 'name' | 'buildId' | 'updatedAt' | 'expiresAt'>;
  state: PageState;
  build: Pick<
    Build,
    'revision' | 'info' | 'sizeBytes' | 'createdAt' | BuildField | 'verification' | 'apk' | 'source'
  >;
  /** The history entry shown, with note and time. */
  update: DistributionUpdate;
  /** Whether this is the live build, not another one at its own link. */
  current: boolean;
  /** Path that works without cookies. */
  iconAddress: string;
  /** Install link: the file (Android) or `itms-services:…` (iOS). Null if there are `blockers`. */
  installAddress: string | null;
  visitor: Visitor;
  device: KnownDevice | null;
  /** Whether the device may refuse the build because its key is not registered with Google. */
  unregistered: boolean;
  /** Reasons of the server and the page, as full sentences. */
  blockers: readonly string[];
  /** Each build of the page once, latest published first. One page of the list. */
  history: readonly DistributionUpdate[];
  olderAddress: string | null;
  /** Set if `history` is not the first page. */
  newestAddress: string | null;
  /** Path of the device registration, for iOS builds that list devices. */
  registerAddress: string | null;
  /** Path of the page settings, for people who can change them. */
  managePath: string | null;
  /** Path of the feedback form for this build; null if the page accepts none. */
  feedbackPath: string | null;
}
