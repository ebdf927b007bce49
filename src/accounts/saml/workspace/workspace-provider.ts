/** The provider of a Workspace. */
export interface WorkspaceProvider {
  workspace: { id: string; name: string };
  /** In the UI. */
  name: string;
  entityId: string;
  /** Null for metadata that a person entered. */
  metadataUrl: string | null;
  /** As in `SLIPWAY_SAML_ATTRIBUTES`; null for the usual ones. */
  attributes: string | null;
  /** Since when members must sign in there; null if they need not. */
  requiredAt: number | null;
}
