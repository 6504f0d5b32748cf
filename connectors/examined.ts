/** What a look at the records of a page has shown. */
export interface Examined {
  /**
   * Positions of records that may have a key twice, or a value that does not fit its declaration:
   * the destination has to look itself. All others have neither.
   */
  doubtful: readonly number[]
  /**
   * Columns that any of the records has, those of children as `transaction_items.quantity`. All
   * others are null in each of them.
   */
  filled: readonly string[]
}
