/** The scalars that the Service’s resources are made of (spec §2), and the types of declared answers. */
import { z } from 'zod';

/** An amount, fee, rate or price: never negative. */
export const amount = z.number().nonnegative();

/** An amount, or `-1` where the asset has no limit of its own (spec §2.2). */
export const limit = z.union([amount, z.literal(-1)]);

/** A crypto amount in wei or token units (spec §2.6). */
export const units = z
  .string()
  .regex(/^\d{1,78}$/)
  .describe('In wei or token units.');

/** Units, or `-1` where there is no minimum (spec §2.2). */
export const unitsLimit = z.union([units, z.literal('-1')]);

/** Decimal places of an asset. */
export const decimals = z.int().min(0).max(36);

/** ISO 4217. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/);

/** ISO 8601, UTC. */
export const instant = z.iso.datetime();

/** A string that is not empty. */
export const word = z.string().min(1);

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** What is declared by a schema, as code that answers or reads it has it. */
export type Answered<T extends z.ZodType> = DeepReadonly<z.infer<T>>;
