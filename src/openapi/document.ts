/** An API's description as an OpenAPI 3.1 document. */
import type { z } from 'zod';
import type { Answer, ApiDescription, JsonObject, Operation } from './contract.ts';
import { openSchemaBook, type SchemaBook } from './schemas.ts';

/** Pure: equal descriptions give equal documents, key by key. */
export function openApiDocument(api: ApiDescription): JsonObject {
  return withNames(documentOf(api), api.renamed ?? {});
}

/** A field's name stands in quotes both where it is a property and where it is listed as required, and nowhere else. */
function withNames(document: JsonObject, renamed: Readonly<Record<string, string>>): JsonObject {
  let text = JSON.stringify(document);
  for (const [from, to] of Object.entries(renamed)) text = text.replaceAll(JSON.stringify(from), JSON.stringify(to));
  return JSON.parse(text) as JsonObject;
}

function documentOf(api: ApiDescription): JsonObject {
  const book = openSchemaBook(api.schemas);
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of api.endpoints) {
    const item = paths[endpoint.path] ?? {};
    item[endpoint.method.toLowerCase()] = operation(endpoint, book);
    paths[endpoint.path] = item;
  }
  const webhooks = api.webhooks.map((each) => [each.name, { post: operation(each, book) }]);
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.about },
    // Wherever the document was read from: the server does not know by which names it is reached.
    servers: [{ url: '/' }],
    tags: api.tags.map(({ name, about }) => ({ name, description: about })),
    paths,
    ...(webhooks.length === 0 ? {} : { webhooks: Object.fromEntries(webhooks) }),
    components: { schemas: book.fill(), securitySchemes: api.security },
  };
}

function operation(described: Operation, book: SchemaBook): JsonObject {
  const { id, tag, summary, about, params, query, headers, body, answers, needs } = described;
  const parameters = [
    ...parametersOf('path', params, book),
    ...parametersOf('query', query, book),
    ...parametersOf('header', headers, book),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(about === undefined ? {} : { description: about }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            ...(body.about === undefined ? {} : { description: body.about }),
            content: { 'application/json': media(body.schema, body.examples, book) },
          },
        }),
    responses: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, response(answer, book)])),
    ...(needs === undefined ? {} : { security: [Object.fromEntries(needs.map((name) => [name, []]))] }),
  };
}

function parametersOf(place: 'path' | 'query' | 'header', all: z.ZodObject | undefined, book: SchemaBook) {
  return Object.entries<z.ZodType>(all?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || !schema.safeParse(undefined).success,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    schema: book.use(schema),
  }));
}

function response({ says, schema, mediaType = 'application/json', headers, examples }: Answer, book: SchemaBook) {
  return {
    description: says,
    ...(headers === undefined ? {} : { headers: headersOf(headers, book) }),
    ...(schema === undefined ? {} : { content: { [mediaType]: media(schema, examples, book) } }),
  };
}

function headersOf(headers: Readonly<Record<string, z.ZodType>>, book: SchemaBook): JsonObject {
  const described = Object.entries(headers).map(([name, schema]) => [
    name,
    { ...(schema.description === undefined ? {} : { description: schema.description }), schema: book.use(schema) },
  ]);
  return Object.fromEntries(described);
}

function media(schema: z.ZodType, examples: Readonly<Record<string, unknown>> | undefined, book: SchemaBook) {
  const shown = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  return { schema: book.use(schema), ...(shown.length === 0 ? {} : { examples: Object.fromEntries(shown) }) };
}
