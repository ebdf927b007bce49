/**
 * Decides which Workspaces of a person their session or key may not use. This happens when the caller is identified; `loadPermissions`
 * and the access rules of Workspaces then refuse requests, and lists leave out what is in these Workspaces.
 */
import { PolicyRefused } from '../../core/errors.ts';
import { ownerTexts } from '../owner-texts.ts';

/** The provider at which the person must sign in first. */
export interface WorkspaceBar {
  workspace: { id: string; name: string };
  provider: string;
}

export interface WorkspaceGate {
  /** Issuers of the Workspaces at whose provider the person is signed in. */
  signOns: readonly string[];
  /** By the ID of the Workspace. */
  bars: ReadonlyMap<string, WorkspaceBar>;
  /** The Projects of the person in these Workspaces, by ID. */
  barredProjects: ReadonlySet<string>;
  /** Their other Projects, by ID. */
  otherProjects: readonly string[];
}

/** What a session or key shows about its person. */
export type GateEvidence =
  | { kind: 'session'; id: string }
  | { kind: 'key'; id: string; createdAt: number; isOperators: boolean };

/** The caller must meet a condition of the Workspace first. Pages show how. */
export class WorkspaceBarred extends PolicyRefused {
  override name = 'WorkspaceBarred';
  readonly bar: WorkspaceBar;

  constructor(bar: WorkspaceBar) {
    const message = ownerTexts.signOnRequired({ workspace: bar.workspace.name, provider: bar.provider });
    super('sign_on', message);
    this.bar = bar;
  }
}

/** Returns the issuer of a Workspace's provider. No other kind of issuer begins like this. */
export const workspaceIssuer = (workspaceId: string, entityId: string) =>
  `workspace-saml:${workspaceId}:${entityId}`;

/** Returns the key under which the metadata of the Workspace's provider is stored. */
export const workspaceMetadataPlace = (workspaceId: string) => `workspace ${workspaceId}`;

/** A provider of a Workspace that the person belongs to. */
export interface GateProvider {
  workspace: { id: string; name: string };
  name: string;
  entityId: string;
  /** Null if the Workspace does not require it. */
  requiredAt: number | null;
  isSignedOn: boolean;
  /** Administrators of the installation can always get in. */
  isExempt: boolean;
}

/** Returns which of the Workspaces the session or key may not use. */
export function findBars(
  providers: readonly GateProvider[],
  evidence: GateEvidence,
): ReadonlyMap<string, WorkspaceBar> {
  const bars = new Map<string, WorkspaceBar>();
  for (const { workspace, name, requiredAt, isSignedOn, isExempt } of providers) {
    // Keys that were created before the requirement work until they expire. Keys that the operator issues always work.
    const isEarlier =
      evidence.kind === 'key' && (evidence.isOperators || evidence.createdAt < (requiredAt ?? 0));
    if (requiredAt === null || isSignedOn || isExempt || isEarlier) continue;
    bars.set(workspace.id, { workspace, provider: name });
  }
  return bars;
}

export const barOf = (
  { gate }: { gate?: WorkspaceGate },
  workspaceId: string | undefined,
): WorkspaceBar | null => (workspaceId === undefined ? null : gate?.bars.get(workspaceId)) ?? null;
