import type { ParsedUrlQuery } from 'node:querystring';
import { type Page, type PageRequest, totalPages } from '#src/kernel/page.ts';

const DEFAULT_PER_PAGE = 25;
const MAX_PER_PAGE = 100;
/** The last one that JSON can echo exactly; the offset that follows from it is far beyond any list, and a bigint still. */
const MAX_PAGE = Number.MAX_SAFE_INTEGER;

/** Never an error: what is no positive integer counts as not given, and what is too large as the largest. */
export function readPageRequest({ page, per_page }: ParsedUrlQuery): PageRequest {
  return {
    page: Math.min(positiveInteger(page) ?? 1, MAX_PAGE),
    perPage: Math.min(positiveInteger(per_page) ?? DEFAULT_PER_PAGE, MAX_PER_PAGE),
  };
}

export function presentPagination(page: Page<unknown>) {
  return {
    page: page.page,
    per_page: page.perPage,
    total_count: page.totalCount,
    total_pages: totalPages(page),
  };
}

function positiveInteger(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return undefined;
  return Number(value) || undefined;
}
