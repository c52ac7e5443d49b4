/** Features of an integration key, in every assets response that was asked with one (spec §2.1). */
import { z } from 'zod';
import { filled, listOf, resource } from './scalars.ts';

/** Names by the specification; objects with a name and parameters in the field. */
export const enabledFeatures = listOf(
  z.union([filled, resource({ name: filled })], { error: 'a string, or an object with a name' }),
);
