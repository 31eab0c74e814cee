/** What a caller wants of the presets. */

import type { RequestContext } from '../context.ts';
import { type PresetQuery, presetSortFields, sortDirections } from '../queries.ts';

/** Reads the parameters of a first page. @throws {Refusal} 400 for each that is not what it may be. */
export function readPresetQuery(context: RequestContext): PresetQuery {
  const { rules, choices } = context;
  const { skuFilter, freeTextFilter, defaultSize } = choices.presets;
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = rules.readParameter(name, context);
    return text === undefined ? undefined : parse(text);
  };
  const sortField = read('sort_field', (text) =>
    rules.parseWord('sort_field', text, presetSortFields, context),
  );
  return {
    region: read('region', (text) => rules.parseRegion(text, context)),
    sku: rules.readParameter(skuFilter, context),
    text: read(freeTextFilter, (text) => rules.parseFreeText(freeTextFilter, text, context)),
    sortField,
    // Without a field the direction is ignored altogether, whatever it says.
    sortDirection:
      sortField === undefined
        ? undefined
        : read('sort_direction', (text) =>
            rules.parseWord('sort_direction', text, sortDirections, context),
          ),
    page: 1,
    size: read('size', (text) => rules.parseSize(text, context)) ?? defaultSize,
  };
}
