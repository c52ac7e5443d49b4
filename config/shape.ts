/**
 * The settings as a JSON Schema (`tieout.schema.json`), for help and checks in editors. It lets everything pass that the
 * readers take; what only a reader can know (a time zone, an address) it leaves to `tieout config check`.
 */
import { z } from 'zod';

/** The part of JSON Schema that the settings need. */
export interface Shape {
  type?: string | readonly string[];
  enum?: readonly (string | boolean | null)[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  items?: Shape;
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  additionalProperties?: boolean | Shape;
  anyOf?: readonly Shape[];
  not?: Shape;
  description?: string;
}

const SHAPES = new WeakMap<z.core.$ZodType, () => Shape>();

/** Tells the shape of a schema that zod itself sees nothing of, as a transformation. */
export function shaped<T extends z.core.$ZodType>(schema: T, shape: () => Shape): T {
  SHAPES.set(schema, shape);
  return schema;
}

export function shapeOf(schema: z.core.$ZodType): Shape {
  const own = SHAPES.get(schema);
  if (own !== undefined) return own();
  const { def, parent } = (schema as z.ZodType)._zod;
  // A check makes a copy of the schema.
  if (parent !== undefined) return shapeOf(parent);
  if (schema instanceof z.ZodObject) return objectShape(schema);
  if (schema instanceof z.ZodArray) return { type: 'array', items: shapeOf(schema.element) };
  if (schema instanceof z.ZodUnion) return { anyOf: schema.options.map(shapeOf) };
  if (schema instanceof z.ZodLiteral) return { enum: [...schema.values] as string[] };
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in);
  if ('innerType' in def) return shapeOf(def.innerType as z.core.$ZodType);
  throw new RangeError(`a setting of the type ${def.type} has no shape`);
}

function objectShape(schema: z.ZodObject): Shape {
  const properties = Object.entries<z.core.$ZodType>(schema.shape);
  const required = properties
    .filter(([, inner]) => !(inner as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties.map(([name, inner]) => [name, shapeOf(inner)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The same as a TypeScript type, each setting with its text as a comment. A secret is a text here: programs may give it. */
export function typeOfShape(shape: Shape, indent = ''): string {
  const { anyOf, items, properties, required = [], additionalProperties, type } = shape;
  if (anyOf !== undefined) return [...new Set(anyOf.map((each) => typeOfShape(each, indent)))].join(' | ');
  if (shape.enum !== undefined)
    return shape.enum.map((each) => (typeof each === 'string' ? `'${each}'` : String(each))).join(' | ');
  if (items !== undefined) return `readonly (${typeOfShape(items, indent)})[]`;
  if (properties !== undefined) {
    const inner = `${indent}  `;
    const lines = Object.entries(properties).flatMap(([name, each]) => [
      ...(each.description === undefined ? [] : [`${inner}/** ${each.description.replaceAll('*/', '* /')} */`]),
      `${inner}readonly ${name}${required.includes(name) ? `: ${typeOfShape(each, inner)}` : `?: ${typeOfShape(each, inner)} | undefined`};`,
    ]);
    return `{\n${lines.join('\n')}\n${indent}}`;
  }
  if (typeof additionalProperties === 'object') {
    return `{ readonly [name: string]: ${typeOfShape(additionalProperties, indent)} }`;
  }
  return [type ?? 'string']
    .flat()
    .map((each) => (each === 'integer' ? 'number' : each))
    .join(' | ');
}
