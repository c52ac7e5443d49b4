/** zod schemas as the JSON Schemas of one document: those with a name once, in `components`, and referred to elsewhere. */
import { z } from 'zod';
import type { JsonObject } from './contract.ts';

const COMPONENTS = '#/components/schemas/';
/** No component's name may hold a slash, so none is taken for an unnamed one. */
const UNNAMED = 'unnamed/';

export interface SchemaBook {
  /** The JSON Schema of a schema; empty until `fill` is called. */
  use(schema: z.ZodType): JsonObject;
  /** Fills everything that was used, and gives the named ones. To be called once, when all is used. */
  fill(): Record<string, JsonObject>;
}

/**
 * All schemas are translated in one go, because only then does zod refer to a named schema from within another one,
 * rather than repeat it.
 */
export function openSchemaBook(named: Readonly<Record<string, z.ZodType>>): SchemaBook {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const places: { id: string; place: JsonObject }[] = [];
  return {
    use(schema) {
      const place: JsonObject = {};
      let id = registry.get(schema)?.id;
      if (id === undefined) {
        id = `${UNNAMED}${places.length}`;
        registry.add(schema, { id });
      }
      places.push({ id, place });
      return place;
    },
    fill() {
      // Numbers are custom types that keep every digit; what they are in JSON is in their metadata.
      const { schemas } = z.toJSONSchema(registry, {
        unrepresentable: 'any',
        uri: (id) => `${COMPONENTS}${id}`,
        override: ({ jsonSchema }) => leaveOpen(jsonSchema),
      });
      for (const { id, place } of places) {
        const isNamed = !id.startsWith(UNNAMED);
        Object.assign(place, isNamed ? { $ref: `${COMPONENTS}${id}` } : withoutIdentity(schemas[id] ?? {}));
      }
      const components = Object.entries(schemas).filter(([id]) => !id.startsWith(UNNAMED));
      return Object.fromEntries(components.map(([id, schema]) => [id, withoutIdentity(schema)]));
    },
  };
}

/** Anything may be added to an object that says nothing of it: said as well, pages would show made-up fields. */
function leaveOpen(schema: z.core.JSONSchema.BaseSchema): void {
  const { additionalProperties: more } = schema;
  if (typeof more === 'object' && Object.keys(more).length === 0) delete schema.additionalProperties;
}

/** Where a schema stands says what it is called; an `$id` of its own would move the base of every reference in it. */
function withoutIdentity({ $id: _id, $schema: _schema, ...rest }: object & JsonObject): JsonObject {
  return rest;
}
