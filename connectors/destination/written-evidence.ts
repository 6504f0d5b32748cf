/**
 * What the audit log has of evidence: an entry for each plan, approval, receipt, manifest and
 * closed month, added in the transaction that remembers it. So its head vouches for all of them.
 */
export type WrittenEvidence =
  /** sha256 of the document's bytes. */
  | { kind: 'plan'; plan: string; sha256: string }
  /** sha256 of the document that was approved, and the guarded operations that it names. */
  | { kind: 'approval'; plan: string; by: string; sha256: string; guarded: readonly string[] }
  /** sha256 of the file's bytes. */
  | { kind: 'receipt'; plan: string; seq: number; sha256: string }
  /**
   * Of an export, a journal or an audit: sha256 of the file's bytes; the folder is absolute, or an
   * address.
   */
  | { kind: 'manifest'; folder: string; name: string; sha256: string }
  /** Books of a month that were closed or reopened. */
  | { kind: 'period'; month: string; event: string; by: string }

export type WrittenManifest = Omit<Extract<WrittenEvidence, { kind: 'manifest' }>, 'kind'>

/** With the number of its entry. */
export type NumberedManifest = WrittenManifest & { seq: number }

/** Whoever writes a manifest says so here. */
export interface ManifestLog {
  /** The same manifest again changes nothing. */
  keepManifest(manifest: WrittenManifest): Promise<void>
}

/** What the audit log of a database vouches for. */
export interface EvidenceLog {
  /** Of all its entries, oldest first. */
  heads: readonly LogHead[]
  written: readonly WrittenEvidence[]
  /** What is wrong with it, in sentences; none if it holds. */
  breaks: readonly string[]
}

/** Number and hash of an entry: the hash covers every entry before it, too. */
export interface LogHead {
  seq: number
  hash: string
}
