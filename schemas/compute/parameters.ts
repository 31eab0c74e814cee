/** Query parameters with documented names. */

/** Of the instance list. */
export const instanceListParameters = [
  'cursor',
  'size',
  'status',
  'region',
  'gpu_type',
  'date_range_begin',
  'date_range_end',
  'free_text_search',
  'sort_field',
  'sort_direction',
] as const;

/** Of the preset list; the names of two filters are open. */
export const presetListParameters = [
  'cursor',
  'size',
  'region',
  'sort_field',
  'sort_direction',
] as const;
