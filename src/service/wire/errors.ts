/** The two envelopes in which the Service reports errors (spec §7, field facts "Errors"). */
import { z } from 'zod';
import { filled, resource, text, wireNumber } from './scalars.ts';

/** The application's own: a `code` and further properties. */
export const applicationError = resource({ code: filled, statusCode: wireNumber.nullish() });

/** The web framework's, for paths and methods that it does not know: no `code`. */
export const frameworkError = resource({
  message: z.union([text, z.array(text)], { error: 'a string, or a list of them' }),
  error: text.nullish(),
  statusCode: wireNumber.nullish(),
});

/** A request that does not validate, as seen on the quote endpoints. */
export const validationError = resource({ name: filled, messages: z.array(text).nullish() });
