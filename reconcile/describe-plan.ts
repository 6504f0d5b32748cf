import type { KeptPlan } from './plan-files.ts'

/** What `reconcile plan --json` answers: the document, and where it is. */
export function plannedJson({ plan: row, document, path, page }: KeptPlan): object {
  const { plan, store, audit, requiredApprovals, lines, operations, uncounted } = document
  return {
    plan,
    hash: row.hash,
    store,
    audit,
    state: 'planned',
    requiredApprovals,
    path,
    page,
    lines: lines.map(line => ({
      ...line,
      state: line.op_id === null ? 'unchanged' : 'planned',
      qty_after: null,
      verified_at: null,
      discrepancy: null,
      error: null,
    })),
    operations: operations.map(({ op_id, token, inventory_id, note }) => ({
      op_id,
      token,
      inventory_id,
      note,
      state: 'planned',
      request_no: null,
      reconciliation_id: null,
      trans_no: null,
      error: null,
      choices: [],
    })),
    uncounted,
  }
}
