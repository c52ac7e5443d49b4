/** Bodies of the sandbox's own levers. */
import { z } from 'zod';

export const advanceRequest = z.looseObject({
  advanceMs: z.number().nonnegative().describe('Milliseconds to move the clock on by.'),
});

export const speedRequest = z.looseObject({
  speed: z.number().min(0.001).max(100_000).describe('How many times faster live records move on from now.'),
});

export const instantRequest = z.looseObject({
  at: z
    .string()
    .refine((text) => !Number.isNaN(Date.parse(text)))
    .meta({ format: 'date-time', description: 'The instant to set the clock to, back in time too.' }),
});

/** The first of these that fits is what happens; further fields change nothing. */
export const clockRequest = z.union([advanceRequest, speedRequest, instantRequest]);

export const nightRequest = z.looseObject({ night: z.literal([1, 2]) });

/** Fields of a record, by name, as its endpoint is to have them from now on. */
export const tamperRequest = z.record(z.string(), z.unknown());
