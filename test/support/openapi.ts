/** Checks the documents of servers against their routes and answers, with independent libraries. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';

export type Json = { [key: string]: unknown };

export async function documentAt(origin: string): Promise<Json> {
  const response = await fetch(`${origin}/openapi.json`);
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
  return (await response.json()) as Json;
}

/** The errors of an independent OpenAPI validator for a document; null for none. */
export async function faultsOf(document: Json): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  return valid ? null : (errors ?? 'invalid');
}

/** `GET /sandbox/live`, sorted, as the document has them. */
export function operationsOf(document: Json): string[] {
  return Object.entries(document.paths as Record<string, Json>)
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}

/**
 * Starts a server and gives the routes that were registered with fastify meanwhile, sorted, with parameters in braces. fastify
 * adds a HEAD to each GET by itself, and the files of the page are no endpoint of the server's.
 */
export async function withRoutes<T>(start: () => Promise<T>): Promise<{ started: T; routes: string[] }> {
  const routes = new Set<string>();
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) {
        if (each !== 'HEAD' && !url.startsWith('/docs/')) routes.add(`${each} ${url.replace(/:(\w+)/g, '{$1}')}`);
      }
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { started: await start(), routes: [...routes].sort() };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}

export interface Checker {
  /** The problem of an answer's body, or null. An answer without a description is a problem. */
  answer(operation: string, status: number, mediaType: string, body: unknown): string | null;
  request(operation: string, body: unknown): string | null;
  webhook(name: string, body: unknown): string | null;
  component(name: string, body: unknown): string | null;
  /** How many examples of bodies the document shows, and which of them their own schemas refuse. */
  examples(): { shown: number; faults: string[] };
}

/** Every example that stands beside a schema, with the path of both. */
function* mediaWithExamples(
  value: unknown,
  path: readonly string[],
): Generator<{ path: readonly string[]; name: string; value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  const { schema, examples } = value as { schema?: unknown; examples?: Record<string, { value: unknown }> };
  if (schema !== undefined && examples !== undefined) {
    for (const [name, example] of Object.entries(examples)) yield { path, name, value: example.value };
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* mediaWithExamples(inner, [...path, key]);
}

/** Reads bodies by the schemas of a document. */
export function checkerOf(document: Json): Checker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const check = (body: unknown, ...path: string[]): string | null => {
    const pointer = path.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const described = path.reduce<unknown>((value, step) => Reflect.get(Object(value), step), document);
    if (described === undefined) return `${path.join(' ')} is not described`;
    const validate = ajv.getSchema(`document#/${pointer}`);
    if (validate === undefined) return `${pointer} is no schema`;
    return validate(body) === true ? null : ajv.errorsText(validate.errors);
  };
  const at = (operation: string): [string, string, string] => {
    const [method = '', path = ''] = operation.split(' ');
    return ['paths', path, method.toLowerCase()];
  };
  return {
    answer: (operation, status, mediaType, body) =>
      check(body, ...at(operation), 'responses', String(status), 'content', mediaType, 'schema'),
    request: (operation, body) => check(body, ...at(operation), 'requestBody', 'content', 'application/json', 'schema'),
    webhook: (name, body) =>
      check(body, 'webhooks', name, 'post', 'requestBody', 'content', 'application/json', 'schema'),
    component: (name, body) => check(body, 'components', 'schemas', name),
    examples() {
      const found = [...mediaWithExamples(document, [])];
      const faults = found.flatMap(({ path, name, value }) => {
        const fault = check(value, ...path, 'schema');
        return fault === null ? [] : [`${path.join(' ')} ${name}: ${fault}`];
      });
      return { shown: found.length, faults };
    },
  };
}
