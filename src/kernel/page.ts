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

export function totalPages({ totalCount, perPage }: { totalCount: number; perPage: number }): number {
  return Math.ceil(totalCount / perPage);
}
