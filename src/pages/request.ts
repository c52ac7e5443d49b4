/** What handlers read of a request and write into an answer. */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../domain/errors.ts';
import { streamOf } from '../publish/file-system.ts';
import type { Person } from './contract.ts';
import type { Html } from './html.ts';
import { type Frame, HTML_TYPE, pageHtml } from './layout.ts';

const SAID = 'said';

/** The signed-in person; the gate has refused a request without one. */
export function personIn(request: FastifyRequest): Person {
  if (request.person === null) throw new UsageError('no person is signed in');
  return request.person;
}

function frameOf(request: FastifyRequest, reply: FastifyReply): Frame {
  const said: unknown = request.session.get(SAID);
  if (said !== undefined) request.session.set(SAID, undefined);
  let csrf: string | null = null;
  return {
    person: request.person,
    // Made for the first form that asks: a form of another site comes without the cookie, and an answer that sets one signs the person out.
    get csrf() {
      csrf ??= reply.generateCsrf();
      return csrf;
    },
    said: isSaid(said) ? said : null,
  };
}

function isSaid(value: unknown): value is NonNullable<Frame['said']> {
  return typeof value === 'object' && value !== null && 'text' in value && 'tone' in value;
}

export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  page: { title: string; at?: string; body: Html | ((frame: Frame) => Html) },
): FastifyReply {
  const frame = frameOf(request, reply);
  const body = typeof page.body === 'function' ? page.body(frame) : page.body;
  return reply.type(HTML_TYPE).send(pageHtml(frame, { ...page, body }));
}

/** Shows a message on the next page, and redirects to it. */
export function done(request: FastifyRequest, reply: FastifyReply, to: string, text: string): FastifyReply {
  request.session.set(SAID, { text, tone: 'good' });
  return reply.redirect(to, 303);
}

/** An answer that a browser stores as a file. @param name plain: letters, digits, `-`, `_` and points */
export function download(reply: FastifyReply, type: string, name: string, content: unknown): FastifyReply {
  return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(content);
}

/** A file of a published set. @throws NotFoundError */
export function sendFile(reply: FastifyReply, name: string, path: string): FastifyReply {
  return download(reply, 'application/octet-stream', name, fileAt(path));
}

/** @throws NotFoundError */
export function fileAt(path: string): Readable {
  const file = streamOf(path);
  if (file === null) throw new NotFoundError('The file is gone.');
  return file;
}

export function queryOf(request: FastifyRequest): URLSearchParams {
  const at = request.url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1));
}

/** A field of a form as text without blanks around it; empty where it is missing. */
export function field(request: FastifyRequest, name: string): string {
  const given: unknown = (request.body as Record<string, unknown> | undefined)?.[name];
  const value: unknown = typeof given === 'object' && given !== null ? (given as { value?: unknown }).value : given;
  return typeof value === 'string' ? value.trim() : '';
}

/** @throws UsageError for an empty field, or one that is too long. */
export function filled(request: FastifyRequest, name: string, what: string, longest = 2000): string {
  const text = field(request, name);
  if (text === '') throw new UsageError(`${what} is empty`);
  if (text.length > longest) throw new UsageError(`${what} is longer than ${longest} characters`);
  return text;
}

export function param(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? '';
}

/** A path of these pages that a cookie can hold; anything else, such as another host, becomes the start page. */
export function localPath(text: string | null): string {
  return text !== null && /^\/(?![/\\])[\x21-\x7e]{0,1999}$/.test(text) ? text : '/breaks';
}

/** The name keeps its last part only, without signs that a file system or a header reads. */
export async function fileIn(request: FastifyRequest): Promise<{ fileName: string; content: Uint8Array }> {
  const part = (request.body as Record<string, unknown> | undefined)?.file;
  if (typeof part !== 'object' || part === null || !('toBuffer' in part)) throw new UsageError('choose a file');
  const { filename, toBuffer } = part as { filename: string; toBuffer: () => Promise<Buffer> };
  const content = await toBuffer.call(part);
  if (content.length === 0) throw new UsageError('the file is empty');
  return { fileName: safeName(filename), content };
}

export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .normalize('NFC')
    .replace(/[\p{Cc}"<>|:*?\u202a-\u202e\u2066-\u2069]/gu, '_')
    .replace(/^\.+/, '_');
  return clean.slice(0, 120) || 'file';
}

/** Thrown by a handler for what is not there: 404. */
export class NotFoundError extends UsageError {}

/** Thrown by a handler where the person may not do this, although the route is open to the role: 403, and recorded. */
export class RefusedError extends UsageError {}

/** The address has a filter that the page does not know: 400. */
export class UnknownFilterError extends UsageError {
  constructor(name: string, known: readonly string[]) {
    const filters = known.length === 0 ? 'It has no filters' : `Its filters are ${known.join(', ')}`;
    super(`This page has no filter “${name.slice(0, 200)}”. ${filters}.`);
  }
}

/** The body of a form that ends too early, or cannot be taken apart: 400. */
export class UnreadableFormError extends UsageError {}
