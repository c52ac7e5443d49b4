/** What every part of the page uses: its elements, what it knows, the embedding app, and requests to the server. */

export const $ = (id) => document.getElementById(id);
export const form = $('order');
const VIEWS = ['loading', 'failed', 'order', 'review', 'status'];

const given = new URLSearchParams(location.search);
const widgetInstanceId = given.get('widgetInstanceId') ?? crypto.randomUUID?.() ?? String(performance.timeOrigin);

/** The integrator's settings, the latest prices, and the record that was made. */
export const state = { settings: null, quote: null, asked: 0, timer: 0, typing: 0, record: null, said: '' };

export const isEmbedded = window.parent !== window;

/** Only the page that frames this one is told: a purchase event carries a view token. */
function hostOrigin() {
  const above = location.ancestorOrigins?.[0] ?? (document.referrer === '' ? '*' : new URL(document.referrer).origin);
  return above === 'null' ? '*' : above;
}

export function emit(type, payload = null) {
  if (isEmbedded) window.parent.postMessage({ type, payload, widgetInstanceId }, hostOrigin());
}

export async function ask(path, { body, token } = {}) {
  const headers = { ...(body && { 'content-type': 'application/json' }), ...(token && { 'x-view-token': token }) };
  const response = await fetch(path, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok) return answer;
  throw Object.assign(new Error(sentence(answer)), { answer });
}

const SENTENCES = {
  'SWAP.VALIDATION.SWAP_VALUE_IS_ZERO': 'The fees would use this amount up. Type a larger one.',
  'SANDBOX.QUOTE_EXPIRED': 'The price has just changed. Check the new one and confirm again.',
  FIAT_CURRENCY_NOT_SUPPORTED: 'This currency cannot be used here.',
  ASSET_NOT_SUPPORTED: 'This asset is not available.',
};

function sentence({ code, messages }) {
  return messages?.join(' ') ?? SENTENCES[code] ?? `It did not work (${code ?? 'unknown error'}).`;
}

export function show(view, { focus = true } = {}) {
  for (const id of VIEWS) $(id).hidden = id !== view;
  if (focus) $(`${view}-title`)?.focus();
}

/** Screen readers hear it; the same words twice are not repeated. */
export function say(text) {
  if (text === state.said) return;
  state.said = text;
  $('live').textContent = text;
}

export function element(tag, text, attributes = {}) {
  const made = Object.assign(document.createElement(tag), { textContent: text });
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export function options(select, items, wanted) {
  select.replaceChildren(...items.map(([value, name]) => element('option', name, { value })));
  if (items.some(([value]) => value === wanted)) select.value = wanted;
}

/** An amount and its currency stay on one line. */
export const together = (text) => text.replaceAll(/(\d) (?=[A-Z])/g, '$1\u00a0');

export function describe(list, rows) {
  list.replaceChildren(
    ...rows.filter(([, text]) => text).flatMap(([name, text]) => [element('dt', name), element('dd', text)]),
  );
}
