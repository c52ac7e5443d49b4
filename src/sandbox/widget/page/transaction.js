/** From the confirmed order to its end: the record is made, followed, and the user is sent back to the app. */
import { requote, wish } from './form.js';
import { $, ask, describe, element, emit, form, isEmbedded, say, show, state } from './page.js';

const ASK_AGAIN = 1000;
const LEAVE_AFTER = 3000;

export async function confirm() {
  const button = $('confirm');
  button.disabled = true;
  $('order-problem').textContent = '';
  const { address, outcome, method } = form.elements;
  const chosen = { method: method.value, address: address.value.trim(), outcome: outcome.value };
  const body = { ...wish(), ...chosen, quotedAt: state.quote.quotedAt, parameters: location.search };
  try {
    began(await ask('/widget/orders', { body }));
    rememberCountry(body.country ?? '');
  } catch (error) {
    $('order-problem').textContent = error.message;
    await requote();
  } finally {
    button.disabled = false;
  }
}

function began({ kind, id, viewToken, payInAddress, body, apiUrl }) {
  clearTimeout(state.timer);
  state.asked++;
  state.record = { kind, id, viewToken, payInAddress, crypto: body.crypto };
  if (kind === 'purchase') emit('PURCHASE_CREATED', { purchase: body, purchaseViewToken: viewToken, apiUrl });
  else emit('OFFRAMP_SALE_CREATED', { sale: body, purchaseViewToken: viewToken, saleViewToken: viewToken, apiUrl });
  $('send-crypto').hidden = kind !== 'sale' || !state.settings.sendCrypto;
  for (const leftOver of ['leave', 'again']) $(leftOver).hidden = true;
  $('leaving').textContent = '';
  $('status-title').textContent = kind === 'purchase' ? 'Your purchase' : 'Your sale';
  show('status');
  follow();
}

async function follow() {
  const { kind, id, viewToken } = state.record;
  try {
    const progress = await ask(`/widget/${kind}s/${id}`, { token: viewToken });
    if (state.record?.id !== id) return;
    showProgress(progress);
    if (progress.ended) return ended(progress);
  } catch {
    say('The Service cannot be reached; trying again.');
  }
  setTimeout(follow, ASK_AGAIN);
}

function showProgress({ says, steps, status, transaction }) {
  const items = steps.map((step) =>
    element('li', step.says, { class: step.state, ...(step.state === 'current' && { 'aria-current': 'step' }) }),
  );
  $('steps').replaceChildren(...items);
  describe($('facts'), [
    ['Status', status],
    ['Reference', state.record.id],
    ['Send to', state.record.payInAddress],
    ['Transaction', transaction],
  ]);
  say(`${says}.`);
}

function ended({ succeeded }) {
  const { hostAppName, successUrl, failureUrl, finalUrl } = state.settings;
  $('send-crypto').hidden = true;
  $('again').hidden = false;
  const leave = $('leave');
  const target = succeeded ? successUrl : failureUrl;
  if (target !== null) {
    Object.assign(leave, {
      href: target,
      target: '_blank',
      rel: 'noopener',
      textContent: `Back to ${hostAppName}`,
      hidden: false,
    });
  }
  if (finalUrl === null || isEmbedded || state.record.kind !== 'purchase') return;
  if (target === null)
    Object.assign(leave, { href: finalUrl, target: '', textContent: `Back to ${hostAppName}`, hidden: false });
  $('leaving').textContent = `Taking you back to ${hostAppName}…`;
  // Starting over calls the departure off.
  state.timer = setTimeout(() => location.assign(finalUrl), LEAVE_AFTER);
}

export function again() {
  clearTimeout(state.timer);
  state.record = null;
  show('order');
  requote();
}

export function sendCrypto() {
  const { crypto, payInAddress } = state.record;
  emit('SEND_CRYPTO', { assetInfo: crypto.assetInfo, amount: crypto.amount, address: payInAddress });
  say('Your wallet was asked to send the crypto.');
}

/** A returning user's country is that of the last order made in this browser (spec §2.11, selectedCountryCode). */
export function lastCountry() {
  try {
    return localStorage.getItem('country') ?? '';
  } catch {
    return '';
  }
}

function rememberCountry(country) {
  try {
    localStorage.setItem('country', country);
  } catch {
    // A frame may have no storage of its own.
  }
}
