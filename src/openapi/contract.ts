/**
 * How a server tells what its endpoints are: the zod schemas that it reads and writes by, and a few words around them.
 * From this, and from nothing else, comes the OpenAPI document. Descriptions are loaded when somebody asks for them, so
 * they cost a server neither time at its start nor time for a request.
 */
import type { z } from 'zod';

/** JSON as it is written: for parts of the document that have no schema of ours. */
export type JsonObject = { [key: string]: unknown };

export interface ApiDescription {
  title: string;
  /** Of the API that is described. */
  version: string;
  /** Markdown. */
  about: string;
  tags: readonly { name: string; about: string }[];
  /** Schemas with a name of their own in the document; wherever one is used, it is referred to. */
  schemas: Readonly<Record<string, z.ZodType>>;
  /** Fields that have another name on the wire than in the schemas: `baseServiceFee`, which holds the maker's name. */
  renamed?: Readonly<Record<string, string>>;
  /** OpenAPI security schemes by name. */
  security: Readonly<Record<string, JsonObject>>;
  endpoints: readonly Endpoint[];
  /** What the server sends by itself. */
  webhooks: readonly WebhookDescription[];
}

export interface Endpoint extends Operation {
  method: 'GET' | 'POST';
  /** Parameters in braces: `/host-api/purchase/{id}`. */
  path: string;
}

export interface WebhookDescription extends Operation {
  /** The name of the event in the document. */
  name: string;
}

export interface Operation {
  /** Unique in the document; generators of clients name their functions by it. */
  id: string;
  /** One of the description's tags. */
  tag: string;
  /** One line. */
  summary: string;
  /** Markdown. */
  about?: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: BodyDescription;
  /** By status. */
  answers: Readonly<Record<number, Answer>>;
  /** Names of security schemes, all of which are needed; absent: none. */
  needs?: readonly string[];
}

export interface BodyDescription {
  about?: string;
  schema: z.ZodType;
  /** By name, for people to begin with. */
  examples?: Readonly<Record<string, unknown>>;
}

export interface Answer {
  says: string;
  /** Absent: the answer has no body. */
  schema?: z.ZodType;
  /** Default `application/json`. */
  mediaType?: string;
  /** By header name. */
  headers?: Readonly<Record<string, z.ZodType>>;
  /** By name. */
  examples?: Readonly<Record<string, unknown>>;
}
