/** The page of a form that was refused, with what was typed, so that no reason has to be written twice. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { escaped } from '../publish/html/markup.ts';
import { eachPart } from '../text/each-part.ts';
import { html } from './html.ts';
import { field, localPath } from './request.ts';

/** Null where the form's page is not known, or cannot be shown any more. */
export async function refilledPage(
  app: FastifyInstance,
  request: FastifyRequest,
  text: string,
): Promise<string | null> {
  const { referer, host } = request.headers;
  const from = URL.parse(referer ?? '');
  if (from === null || from.host !== URL.parse(`${from.protocol}//${host}`)?.host) return null;
  const url = localPath(from.pathname + from.search);
  const {
    'content-length': _length,
    'content-type': _type,
    'transfer-encoding': _coding,
    ...headers
  } = request.headers;
  const remoteAddress = request.socket.remoteAddress ?? '127.0.0.1';
  const page = await app.inject({ method: 'GET', url, headers, remoteAddress });
  if (page.statusCode !== 200 || !page.body.includes('<main id="main">')) return null;
  const said = html`<main id="main"><p class="says bad" role="alert">${text}</p>`;
  return refilled(page.body, request).replace('<main id="main">', () => String(said));
}

/** Only what is seen is filled: hidden fields are those of the page as it is now. */
function refilled(page: string, request: FastifyRequest): string {
  const names = Object.keys(request.body ?? {});
  const typed = new Map(names.map((name) => [name, field(request, name)]));
  const at = page.indexOf(` action="${escaped(request.url)}"`);
  if (at < 0) return page;
  const [start, end] = [page.lastIndexOf('<form', at), page.indexOf('</form>', at)];
  // Fields of a table may be outside of their form, which they name.
  return [page.slice(0, start), page.slice(start, end), page.slice(end)]
    .map((part, i) =>
      FIELDS.reduce(
        (text, [open, close]) =>
          eachPart(text, open, close, (tag) => (i === 1 || tag.includes(' form="') ? filled(tag, typed) : tag)),
        part,
      ),
    )
    .join('');
}

const FIELDS = [
  ['<input ', '>'],
  ['<textarea ', '</textarea>'],
  ['<select ', '</select>'],
] as const;

function filled(tag: string, typed: ReadonlyMap<string, string>): string {
  const value = typed.get(/ name="([^"]*)"/.exec(tag)?.[1] ?? '');
  if (value === undefined || / type="(?:hidden|file)"/.test(tag)) return tag;
  if (tag.includes(' type="checkbox"')) return tag.replace('<input', '<input checked');
  const text = escaped(value);
  if (tag.startsWith('<textarea')) return `${tag.slice(0, tag.indexOf('>') + 1)}${text}</textarea>`;
  if (tag.startsWith('<select')) return tag.replace(`<option value="${text}"`, (option) => `${option} selected`);
  return tag.replace(/ value="[^"]*"/, '').replace('<input', () => `<input value="${text}"`);
}
