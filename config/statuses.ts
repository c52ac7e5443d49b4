/** The `statuses` setting, read into the domain's status model. */
import { z } from 'zod';
import type { StatusDefinition } from '../src/domain/status.ts';
import { duration, flag, type Leaf, optional, text, wholeNumber } from './leaves.ts';
import { always, list, strict } from './shapes.ts';

const definition: Leaf<StatusDefinition> = strict({
  value: text('allowed: a status as the Service writes it, such as RELEASED', /^[\x21-\x7e]{1,64}$/),
  stage: wholeNumber(0, 1000),
  terminal: flag,
  stuckAfter: optional(duration('1m', '3650d'), ['none', 'off']),
  mayReturnTo: optional(wholeNumber(0, 1000)),
}).check(({ value, issues }) => {
  const complain = (field: string, message: string) =>
    issues.push({ code: 'custom', message, path: [field], input: value });
  if (value.terminal && value.stuckAfter !== null)
    complain('stuckAfter', 'must not be set: nothing follows a terminal status');
  if (value.terminal && value.mayReturnTo !== null)
    complain('mayReturnTo', 'must not be set: nothing follows a terminal status');
  if (value.mayReturnTo !== null && value.mayReturnTo > value.stage) {
    complain('mayReturnTo', `must be at most its own stage, ${value.stage}`);
  }
});

/** One kind's statuses; the map keeps their order. */
export const statusList: Leaf<ReadonlyMap<string, StatusDefinition>> = list(definition)
  .check(
    always(({ value, issues }) => {
      const seen = new Set<string>();
      for (const [index, item] of value.entries()) {
        const status = item?.value;
        if (typeof status !== 'string') continue;
        if (seen.has(status)) {
          issues.push({ code: 'custom', message: 'is defined twice', path: [index, 'value'], input: status });
        }
        seen.add(status);
      }
      if (!value.some((item) => item?.terminal !== false)) {
        issues.push({
          code: 'custom',
          message: 'needs a terminal status: without one nothing ever matches',
          input: value,
        });
      }
    }),
  )
  .pipe(z.transform((definitions) => new Map(definitions.map((item) => [item.value, item]))));
