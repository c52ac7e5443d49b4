/**
 * The pages as a fastify plugin, encapsulated: its parsers, cookies and headers touch no other route of the server. A route
 * that names no permission is refused, so that a forgotten one is closed.
 */
import csrf from '@fastify/csrf-protection';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { TieoutError } from '../domain/errors.ts';
import { hasTwoHosts, refusePieces } from '../ports/clear-request.ts';
import { may, type Permission } from '../worklist/roles.ts';
import type { PagesEdges } from './contract.ts';
import { type Html, html } from './html.ts';
import { SCRIPT } from './keys.ts';
import { HTML_TYPE } from './layout.ts';
import { namedAddresses, personOf } from './people.ts';
import { refilledPage } from './refill.ts';
import { type NoteRefusal, refusalsInto } from './refusals.ts';
import {
  field,
  NotFoundError,
  queryOf,
  RefusedError,
  send,
  UnknownFilterError,
  UnreadableFormError,
} from './request.ts';
import { addRoutes } from './routes/index.ts';
import { MOST_STATEMENT_BYTES } from './routes/revenue.ts';
import { addSessions } from './session.ts';
import { ICON, STYLE } from './style.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a person needs for this page; `public` for the sign-in. */
    permission?: Permission | 'public';
    /** Names that the query of its address may have, none by default; `own` where the page checks them itself. */
    query?: readonly string[] | 'own';
  }
}

/** Larger files belong in a ticket system. */
const ATTACHMENT_BYTES = 5 * 1024 * 1024;
const FORM_BYTES = 256 * 1024;
/** A request that takes longer is refused; an attachment of 5 MiB takes 20 s over a slow line. */
const REQUEST_TIMEOUT_MS = 60_000;

export async function registerPages(server: FastifyInstance, edges: PagesEdges): Promise<void> {
  await server.register(async (app) => {
    const isSecure = edges.settings.url?.startsWith('https:') ?? false;
    app.removeAllContentTypeParsers();
    await app.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'"],
          connectSrc: ["'self'"],
          formAction: ["'self'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      strictTransportSecurity: isSecure,
      referrerPolicy: { policy: 'same-origin' },
    });
    await app.register(formbody, { bodyLimit: FORM_BYTES });
    await app.register(multipart, {
      limits: { fileSize: ATTACHMENT_BYTES, files: 1, fields: 10, fieldSize: 2 * MOST_STATEMENT_BYTES },
    });
    readMultipart(app);
    await addSessions(app, {
      key: edges.cookieKey,
      cookieName: isSecure ? '__Host-tieout' : 'tieout',
      longestMs: edges.settings.sessionMs,
      cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure },
      now: edges.now,
      random: edges.random,
    });
    await app.register(csrf, {
      // What it says of a session that has `get` and `set`.
      sessionPlugin: '@fastify/secure-session',
      getToken: (request) => field(request, '_csrf'),
    });
    const refuse = refusalsInto(edges);
    addGate(app, edges, refuse);
    addErrors(app, edges, refuse);
    addAssets(app);
    addRoutes(app, edges);
    addUnknownPaths(app);
  });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send(NOT_FOUND));
}

/** The plugin's own `attachFieldsToBody` passes on the parser's errors without a status, which is a failure of the server. */
function readMultipart(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    if (!request.isMultipart()) return;
    // Of a stranger not a byte of a form with files is kept: its fields may have 20 MiB.
    if (request.routeOptions.config.permission === 'public') throw new UnreadableFormError('This form takes no files.');
    try {
      for await (const part of request.parts()) {
        request.body = part.fields;
        if (part.type === 'file') await part.toBuffer();
      }
    } catch (error) {
      if (error instanceof Error && 'statusCode' in error) throw error;
      throw new UnreadableFormError('The form is cut off, or names no boundary between its parts.', { cause: error });
    }
  });
}

const NOT_FOUND = { message: 'Not found', error: 'Not Found', statusCode: 404 } as const;

/** A person reads a page, with the navigation if signed in; a program reads JSON. */
function addUnknownPaths(app: FastifyInstance): void {
  app.get('/*', { config: { permission: 'public' } }, (request, reply) => {
    if (request.headers.accept?.includes('text/html') !== true) return reply.code(404).send(NOT_FOUND);
    return sendProblem(request, reply.code(404), { title: 'Not found', text: 'There is no such page.' });
  });
}

/** The pages alone, on a port of their own; the caller listens. */
export async function pagesServer(edges: PagesEdges): Promise<FastifyInstance> {
  const app = Fastify({
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node looks for slow requests every 30 s by default.
    http: { connectionsCheckingInterval: 1000 },
  });
  await registerPages(app, edges);
  return app;
}

function addGate(app: FastifyInstance, edges: PagesEdges, refuse: NoteRefusal): void {
  const proxies = edges.settings.proxy === null ? null : namedAddresses(edges.settings.proxy);
  app.decorateRequest('person', null);
  app.addHook('onRequest', async (request, reply) => {
    const { permission } = request.routeOptions.config;
    reply.header('cache-control', 'no-store');
    if (hasTwoHosts(request.raw)) return reply.code(400).type(HTML_TYPE).send('two Host headers');
    const { person, doubted } = await personOf(request, edges, proxies);
    request.person = person;
    if (doubted !== null) await refuse(request, doubted.why, doubted.name);
    if (permission === 'public') return;
    if (request.person === null) {
      if (!isReading(request)) {
        await refuse(request, 'not signed in');
        // Of a session that has ended, the form is read and shown; of a stranger not a byte.
        if (Object.keys(request.cookies).length > 0 && !request.isMultipart()) return;
        return refusal(request, reply.code(401), 'Sign in first.');
      }
      const next = encodeURIComponent(request.url);
      return reply.redirect(`/sign-in?next=${next}`, 303);
    }
    if (permission === undefined || !may(request.person.roles, permission)) {
      const needed = permission ?? 'nothing that any role has';
      await refuse(request, `needs ${needed}; has ${request.person.roles.join(', ')}`);
      return refusal(request, reply.code(403), 'Your role does not allow this. The refusal is recorded.');
    }
    if (isReading(request)) requireKnownFilters(request);
  });
  app.addHook('preParsing', ({ raw }, _reply, _body, done) => {
    refusePieces(raw, () => new UnreadableFormError('The form comes in too many pieces.'));
    done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (request.person === null && request.routeOptions.config.permission !== 'public') signedOut(request, reply);
    else if (isReading(request)) done();
    else app.csrfProtection(request, reply, done);
  });
}

/** What HEAD asks is what GET would answer: monitors and previews of links send it. */
const isReading = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/** A filter that is not known would show more than was asked for. @throws UnknownFilterError */
function requireKnownFilters(request: FastifyRequest): void {
  const { query: known = [] } = request.routeOptions.config;
  const unknown = known === 'own' ? undefined : [...queryOf(request).keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UnknownFilterError(unknown, known === 'own' ? [] : known);
}

const refusal = (request: FastifyRequest, reply: FastifyReply, text: string) =>
  sendProblem(request, reply, { title: 'Not allowed', text });

/** With what was typed, to be copied: a browser keeps nothing of a page that is not to be stored. */
function signedOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const names = Object.keys(request.body ?? {}).filter(
    (name) => name !== '_csrf' && field(request, name).includes(' '),
  );
  const typed = names.map((name) => html`<textarea readonly aria-label="${name}">${field(request, name)}</textarea>`);
  const rest = names.length === 0 ? '' : ' Copy what you wrote, sign in, and send it again.';
  const text = `Your session has ended, and nothing was changed.${rest}`;
  return sendProblem(request, reply.code(401), { title: 'Sign in first', text, typed });
}

/** A page that says what is wrong. */
function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, text, typed = [] }: { title: string; text: string; typed?: readonly Html[] },
): FastifyReply {
  const body = html`<h1>${title}</h1><p class="lead">${text}</p>${typed}<p><a href="/breaks">To the breaks</a></p>`;
  return send(request, reply, { title, body });
}

function addErrors(app: FastifyInstance, edges: PagesEdges, refuse: NoteRefusal): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { status, title, text } = responseTo(error, isReading(request));
    if (status >= 500)
      edges.log.error(
        `${request.method} ${request.routeOptions.url}: ${error instanceof Error ? error.message : 'failed'}`,
      );
    // A faulty request for a page that the person may read is not a refusal.
    const isActing = !isReading(request) && status >= 400 && status < 500;
    if (isActing || status === 403) await refuse(request, text);
    const again = isActing && request.person !== null ? await refilledPage(app, request, text) : null;
    if (again !== null) return reply.code(status).type(HTML_TYPE).send(again);
    return sendProblem(request, reply.code(status), { title, text });
  });
}

/** @param reads a request that would change nothing */
function responseTo(error: unknown, reads: boolean): { status: number; title: string; text: string } {
  if (error instanceof NotFoundError) return { status: 404, title: 'Not found', text: error.message };
  if (error instanceof RefusedError) return { status: 403, title: 'Not allowed', text: error.message };
  if (error instanceof UnreadableFormError || error instanceof UnknownFilterError)
    return { status: 400, title: 'Cannot be read', text: error.message };
  if (error instanceof TieoutError)
    return { status: 409, title: reads ? 'Cannot be shown' : 'Nothing was changed', text: forReaders(error) };
  const { statusCode = 500, code } = error as { statusCode?: number; code?: string };
  if (code?.startsWith('FST_CSRF') === true)
    return {
      status: 403,
      title: 'Nothing was changed',
      text: 'The form was not from this session. Open the page again, then send it.',
    };
  if (statusCode === 413)
    return {
      status: 413,
      title: 'Too large',
      text: 'A form may have ten fields with 256 KiB of text, and one file of 5 MiB.',
    };
  if (statusCode < 500) return { status: statusCode, title: 'Cannot be read', text: 'The request cannot be read.' };
  return { status: 500, title: 'It failed', text: 'The request failed; the log says why. Nothing was changed.' };
}

/** Without a remedy that is a command. */
function forReaders({ message, remedy }: TieoutError): string {
  const isCommand = remedy !== null && /\btieout |--\w/.test(remedy);
  const text = isCommand ? message.slice(0, -`; ${remedy}`.length) : message;
  return /^[a-z]+ /.test(text) ? `${text[0]?.toUpperCase()}${text.slice(1)}.` : text;
}

function addAssets(app: FastifyInstance): void {
  const serve = (path: string, type: string, text: string) =>
    app.get(path, { config: { permission: 'public' } }, (_request: FastifyRequest, reply: FastifyReply) =>
      reply.type(type).header('cache-control', 'public, max-age=3600').send(text),
    );
  serve('/assets/style.css', 'text/css; charset=utf-8', STYLE);
  serve('/assets/icon.svg', 'image/svg+xml', ICON);
  serve('/assets/keys.js', 'text/javascript; charset=utf-8', SCRIPT);
}
