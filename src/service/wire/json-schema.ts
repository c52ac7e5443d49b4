/** The wire schemas as JSON Schema, for documentation of whoever plays the Service. */
import { z } from 'zod';

/** Numbers and record ids are custom types; their JSON form travels in their metadata. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return { ...z.toJSONSchema(schema, { unrepresentable: 'any' }) };
}
