/** The error envelopes of the Service (spec §7, field facts "Errors"). */
import { z } from 'zod';
import { word } from './scalars.ts';

/** By their names in the document. */
export const ERROR_SCHEMAS = {
  ApplicationError: z.looseObject({ code: word, statusCode: z.int() }).describe('An error of the application.'),
  FrameworkError: z
    .looseObject({ message: z.union([z.string(), z.array(z.string())]), error: z.string(), statusCode: z.int() })
    .describe('An error of the web framework, without a code.'),
  ValidationError: z
    .looseObject({ name: word, messages: z.array(z.string()), code: word, statusCode: z.literal(400) })
    .describe('A request that is not valid.'),
};
