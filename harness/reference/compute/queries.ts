/** What callers ask of the two lists, and where in them they are. */

import type { Instance } from './model.ts';

/** States by which the instance list can be filtered, by the words for them. */
export const statusFilters = {
  running: 'RUNNING',
  stopped: 'STOPPED',
  terminated: 'TERMINATED',
  errored: 'ERRORED',
} as const;
export type StatusFilter = (typeof statusFilters)[keyof typeof statusFilters];

export const instanceSortFields = [
  'NAME',
  'GPU_TYPE',
  'SIZE',
  'REGION',
  'HOURLY_RATE',
  'CURRENT_COST',
  'STATUS',
] as const;
export type InstanceSortField = (typeof instanceSortFields)[number];
export const sortDirections = ['ASC', 'DESC'] as const;
export type SortDirection = (typeof sortDirections)[number];

/** Filters and order of one walk, and which page of it this is. */
export interface InstanceQuery {
  readonly status: StatusFilter | undefined;
  readonly region: string | undefined;
  readonly gpuType: string | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly begin: number | undefined;
  readonly end: number | undefined;
  readonly text: string | undefined;
  readonly sortField: InstanceSortField | undefined;
  readonly sortDirection: SortDirection | undefined;
  /** From 1. */
  readonly page: number;
  /** Items per page. */
  readonly size: number;
  /** When the walk began: a walk by cost goes by the costs of that moment. */
  readonly asOf: number;
}

export const presetSortFields = [
  'REGION',
  'LOCATION',
  'GPU',
  'CPU',
  'MEMORY',
  'STORAGE',
  'HOURLY_PRICE',
  'ID',
] as const;
export type PresetSortField = (typeof presetSortFields)[number];

/** Filters and order of one walk, and which page of it this is. */
export interface PresetQuery {
  readonly region: string | undefined;
  readonly sku: string | undefined;
  readonly text: string | undefined;
  readonly sortField: PresetSortField | undefined;
  readonly sortDirection: SortDirection | undefined;
  /** From 1. */
  readonly page: number;
  /** Items per page. */
  readonly size: number;
}

export type SortKey = string | number;

/** An instance with what it is sorted by and its place in the order of creation, from 0 for the oldest. */
export interface Placed {
  readonly instance: Instance;
  readonly key: SortKey | undefined;
  readonly place: number;
}

/** The last item of a page, by what it is sorted by and its place: the next page starts after it. */
export interface Position {
  readonly key: SortKey | undefined;
  readonly place: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The end of this page when another one follows. */
  readonly end: Position | undefined;
}

/** Where in which walk the next page starts. */
export type Cursor =
  | { readonly list: 'instances'; readonly query: InstanceQuery; readonly after: Position }
  | { readonly list: 'presets'; readonly query: PresetQuery; readonly after: Position };

/** What each page of a walk has of its own. */
export interface PagedQuery {
  readonly page: number;
  readonly size: number;
}

/** True for a query that a cursor of the instances carried; cursors are signed, so that its kind is all there is to tell. */
export function isInstanceQuery(value: unknown): value is InstanceQuery {
  return typeof value === 'object' && value !== null && 'asOf' in value && 'page' in value;
}

/** True for a query that a cursor of the presets carried. */
export function isPresetQuery(value: unknown): value is PresetQuery {
  return typeof value === 'object' && value !== null && 'page' in value && !('asOf' in value);
}
