/** Which part of a list is asked for. */
export interface PageRequest {
  /** From 1. */
  page: number;
  /** Items on a page. */
  perPage: number;
}

/** One part of a list, and how long the whole of it is. */
export interface Page<Item> extends PageRequest {
  items: Item[];
  totalCount: number;
}

/** What a list's query answers: the total on every row, and one row without an id when the page is empty. */
export interface PageRow {
  id: string | null;
  total: string;
}

/** The rows of one page as what they stand for. */
export function toPage<Row extends PageRow, Item>(
  rows: readonly Row[],
  { page, perPage }: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const [first] = rows;
  const items = first === undefined || first.id === null ? [] : rows.map(toItem);
  return { items, page, perPage, totalCount: Number(first?.total ?? 0) };
}

/** How many rows stand before the page. */
export function offsetOf({ page, perPage }: PageRequest): number {
  return (page - 1) * perPage;
}

export function totalPages({ totalCount, perPage }: { totalCount: number; perPage: number }): number {
  return Math.ceil(totalCount / perPage);
}
