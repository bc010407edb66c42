/**
 * A read that finds the family it may see in the row `k(key_id, scope, family_id)`, which the reader puts in
 * front of it as a common table expression. `$1` belongs to the reader; the query's own values start at `$2`.
 * It selects `k.key_id, k.scope` and answers at least one row as long as `k` has one.
 */
export interface ReadQuery {
  /** Unique among queries; the text is constant. */
  name: string;
  text: string;
}

/** A way of reading one family's data, with the proof that one may. */
export interface Reader {
  /** Throws `unauthorized` or `insufficient_scope` when this reader may not read. Columns come back as text. */
  read<Row extends object>(query: ReadQuery, values: readonly (string | number)[]): Promise<Row[]>;
}
