/** Answers invalid requests with the messages of the Service, not with those of zod. */
import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { validationError } from '../errors.ts';

/**
 * The schemas bring the messages themselves. A query is refused for its first wrong parameter, a body for all its wrong
 * fields.
 */
export const inMessagesOfTheSchema = compiler(({ message }) => message);

/** For the sandbox's own bodies: `field: message`. */
export const withFieldNames = compiler(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);

/** For requests that the route reads itself; the schema only documents them. */
export const documentedOnly: FastifySchemaCompiler<unknown> = () => () => true;

function compiler(tell: (issue: z.core.$ZodIssue) => string): FastifySchemaCompiler<unknown> {
  return ({ schema, httpPart }) => {
    // A missing header is the route's to answer: 403 for a view token, the whole body for an ETag.
    if (httpPart === 'headers' || !(schema instanceof z.ZodType)) return () => true;
    return (data) => {
      const read = schema.safeParse(data);
      if (read.success) return { value: read.data };
      const messages = read.error.issues.map(tell);
      return { error: validationError(...(httpPart === 'querystring' ? messages.slice(0, 1) : messages)) };
    };
  };
}
