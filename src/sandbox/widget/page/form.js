/** The form: choices, methods and prices for the typed amount, and the summary that is confirmed. */
import { $, ask, describe, element, form, options, say, show, state, together } from './page.js';

const direction = () => form.elements.direction.value;
const isBuying = () => direction() === 'onramp';
const choices = () => state.settings.choices[direction()];
export const chosenAsset = () => choices().assets.find(({ id }) => id === form.elements.asset.value);
const chosenOffer = () => state.quote?.methods.find(({ name }) => name === form.elements.method?.value);

export function fillForm(preset) {
  options(
    $('asset'),
    choices().assets.map(({ id, name }) => [id, name]),
    preset.asset,
  );
  options(
    $('currency'),
    choices().currencies.map(({ code, name }) => [code, `${code} – ${name}`]),
    preset.currency,
  );
  options(
    $('outcome'),
    choices().outcomes.map(({ value, name }) => [value, name]),
    'released',
  );
  document.title = `${isBuying() ? 'Buy' : 'Sell'} crypto (sandbox)`;
  $('order-title').textContent = isBuying() ? 'Buy crypto' : 'Sell crypto';
  $('methods-title').textContent = isBuying() ? 'Pay with' : 'Get paid by';
  $('address-label').textContent = isBuying() ? 'Your wallet address' : 'The address you send from';
  nameUnits();
}

export function nameUnits() {
  const [fiat, crypto] = $('unit').options;
  fiat.textContent = $('currency').value;
  crypto.textContent = chosenAsset()?.symbol ?? '';
}

function showMethods(offers) {
  const list = $('method-list');
  const wanted = form.elements.method?.value || state.settings.preset.method;
  const names = offers.map(({ name }) => name).join();
  if (list.dataset.names !== names) {
    list.dataset.names = names;
    list.replaceChildren(...offers.map(methodChoice));
    const chosen = offers.some(({ name }) => name === wanted) ? wanted : offers[0]?.name;
    for (const radio of list.querySelectorAll('input')) radio.checked = radio.value === chosen;
  }
  offers.forEach(({ gets, pays, fee, problem }, index) => {
    const text = problem ?? `You ${isBuying() ? `get ${gets}` : `get ${gets} for ${pays}`} · fee ${fee}`;
    list.children[index].querySelector('.price').textContent = together(text);
  });
  $('no-method').hidden = offers.length > 0;
  $('no-method').textContent = 'No method works with this currency and country.';
}

function methodChoice({ name, label }) {
  const row = element('label', '', { class: 'method' });
  const words = element('span', label);
  words.append(element('span', '', { class: 'price' }));
  row.append(element('input', '', { type: 'radio', name: 'method', value: name }), words);
  return row;
}

export function wish() {
  const { asset, currency, amount, unit, country } = form.elements;
  return {
    direction: direction(),
    asset: asset.value,
    currency: currency.value,
    amount: amount.value.trim().replace(',', '.'),
    unit: unit.value,
    country: country.value || null,
  };
}

/** Asks for prices now, and again when these are over. False for an answer that another question has overtaken. */
export async function requote() {
  clearTimeout(state.timer);
  const turn = ++state.asked;
  if ($('amount').value.trim() === '') return noPrices('');
  try {
    const quote = await ask('/widget/quote', { body: wish() });
    if (turn !== state.asked) return false;
    state.quote = quote;
    showMethods(quote.methods);
    showOffer();
    state.timer = setTimeout(requote, quote.validFor + 50);
    return true;
  } catch (error) {
    return turn === state.asked && noPrices(error.message);
  }
}

/** Prices of another amount must not stand beside this one. */
function noPrices(why) {
  state.quote = null;
  for (const price of document.querySelectorAll('.price')) price.textContent = '';
  showProblem(why);
  if (why !== '') say(why);
  return true;
}

function showProblem(text) {
  $('amount-problem').textContent = text;
  $('amount').setAttribute('aria-invalid', String(text !== ''));
}

export function showOffer() {
  const offer = chosenOffer();
  showProblem(offer?.problem ?? '');
  if (offer === undefined) return;
  const { label, pays, gets, fee, baseFee, networkFee, rate } = offer;
  if (!form.hidden) say(offer.problem ?? `${label}: you pay ${pays}, fee ${fee} included, and get ${gets}.`);
  describe($('summary'), [
    ['You pay', pays],
    ['You get', gets],
    ['Service fee', baseFee],
    ['Network fee', networkFee],
    ['Fees together', fee],
    ['Price', rate],
    [isBuying() ? 'Pay with' : 'Get paid by', label],
    [isBuying() ? 'To' : 'From', $('address').value],
  ]);
  $('confirm').textContent = together(
    isBuying() ? `Confirm: buy ${gets} for ${pays}` : `Confirm: sell ${pays} for ${gets}`,
  );
}

export async function review(event) {
  event.preventDefault();
  clearTimeout(state.typing);
  while (!(await requote())) clearTimeout(state.typing);
  const { amount, address } = form.elements;
  const noAddress = address.value.trim() === '';
  $('address-problem').textContent = noAddress ? 'Type an address, or use the test address.' : '';
  address.setAttribute('aria-invalid', String(noAddress));
  const offer = chosenOffer();
  if (offer === undefined || offer.problem !== null) {
    if ($('amount-problem').textContent === '') showProblem('Type an amount that can be paid.');
    return amount.focus();
  }
  if (noAddress) return address.focus();
  $('order-problem').textContent = '';
  show('review');
}

/** A preset amount follows the currency that the person chooses instead; one that was typed stays (spec §2.11, fiatValue). */
export async function followCurrency() {
  const { preset } = state.settings;
  const [from, to] = [state.currency, $('currency').value];
  state.currency = to;
  if (preset.unit !== 'fiat' || $('unit').value !== 'fiat' || $('amount').value !== state.preset || from === to) return;
  try {
    const { amount } = await ask('/widget/recalculate', { body: { amount: state.preset, from, to } });
    if ($('amount').value !== state.preset || $('currency').value !== to) return;
    $('amount').value = state.preset = amount;
  } catch {
    // The amount stays as it is, and the quote says what is wrong with it.
  }
}
