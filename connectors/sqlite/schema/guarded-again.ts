/**
 * Entries of the audit log did not say which guarded operations an approval named, so nobody can
 * tell whether the row was changed since: it names none any more, and somebody approves them again.
 * What stood there is kept under another name.
 */
export const GUARDED_AGAIN = [
  `UPDATE outbound_approvals
   SET facts = json_set(
     facts, '$.guarded', json('[]'), '$.namedBefore', json(facts -> '$.guarded'))
   WHERE json_array_length(facts, '$.guarded') > 0`,
]
