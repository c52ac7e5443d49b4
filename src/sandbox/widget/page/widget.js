/**
 * The hosted widget page: one form, one summary, one status. The server reads the parameters, prices, and words what is
 * shown; this script only moves between the three and tells the embedding app what happened.
 */

const $ = (id) => document.getElementById(id);
const form = $('order');
const VIEWS = ['loading', 'failed', 'order', 'review', 'status'];
const REQUOTE_AFTER_TYPING = 250;
const ASK_AGAIN = 1000;
const LEAVE_AFTER = 3000;

const given = new URLSearchParams(location.search);
const widgetInstanceId = given.get('widgetInstanceId') ?? crypto.randomUUID?.() ?? String(performance.timeOrigin);

/** What the page knows: the integrator's settings, the latest prices, and the record that was made. */
const state = { settings: null, quote: null, asked: 0, timer: 0, typing: 0, record: null, said: '' };

// --- the embedding app ---------------------------------------------------------------------------------------------

const isEmbedded = window.parent !== window;

/** Only the page that frames this one is told: a purchase event carries a view token. */
function hostOrigin() {
  const above = location.ancestorOrigins?.[0] ?? (document.referrer === '' ? '*' : new URL(document.referrer).origin);
  return above === 'null' ? '*' : above;
}

function emit(type, payload = null) {
  if (isEmbedded) window.parent.postMessage({ type, payload, widgetInstanceId }, hostOrigin());
}

// --- the server ----------------------------------------------------------------------------------------------------

async function ask(path, { body, token } = {}) {
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

// --- showing -------------------------------------------------------------------------------------------------------

function show(view, { focus = true } = {}) {
  for (const id of VIEWS) $(id).hidden = id !== view;
  if (focus) $(`${view}-title`)?.focus();
}

/** Screen readers hear it; the same words twice are not repeated. */
function say(text) {
  if (text === state.said) return;
  state.said = text;
  $('live').textContent = text;
}

function element(tag, text, attributes = {}) {
  const made = Object.assign(document.createElement(tag), { textContent: text });
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function options(select, items, wanted) {
  select.replaceChildren(...items.map(([value, name]) => element('option', name, { value })));
  if (items.some(([value]) => value === wanted)) select.value = wanted;
}

/** An amount and its currency stay on one line. */
const together = (text) => text.replaceAll(/(\d) (?=[A-Z])/g, '$1\u00a0');

function describe(list, rows) {
  list.replaceChildren(
    ...rows.filter(([, text]) => text).flatMap(([name, text]) => [element('dt', name), element('dd', text)]),
  );
}

// --- the form ------------------------------------------------------------------------------------------------------

const direction = () => form.elements.direction.value;
const isBuying = () => direction() === 'onramp';
const choices = () => state.settings.choices[direction()];
const chosenAsset = () => choices().assets.find(({ id }) => id === form.elements.asset.value);
const chosenOffer = () => state.quote?.methods.find(({ name }) => name === form.elements.method?.value);

function fillForm(preset) {
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

function nameUnits() {
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

function wish() {
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
async function requote() {
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

function showOffer() {
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

async function review(event) {
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

// --- the transaction -----------------------------------------------------------------------------------------------

async function confirm() {
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
  else emit('OFFRAMP_SALE_CREATED', { sale: body, saleViewToken: viewToken, apiUrl });
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

function again() {
  clearTimeout(state.timer);
  state.record = null;
  show('order');
  requote();
}

function sendCrypto() {
  const { crypto, payInAddress } = state.record;
  emit('SEND_CRYPTO', { assetInfo: crypto.assetInfo, amount: crypto.amount, address: payInAddress });
  say('Your wallet was asked to send the crypto.');
}

/** A returning user's country is that of the last order made in this browser (spec §2.11, selectedCountryCode). */
function lastCountry() {
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

// --- the beginning -------------------------------------------------------------------------------------------------

function exit() {
  emit('WIDGET_CLOSE');
  if (!isEmbedded) say('You can close this window.');
}

function begin(settings) {
  state.settings = settings;
  const { hostAppName, hostLogoUrl, flows, flow, preset, countries, warnings } = settings;
  $('host').textContent = hostAppName;
  if (hostLogoUrl !== null)
    Object.assign($('logo'), {
      src: hostLogoUrl,
      hidden: false,
      onerror: () => {
        $('logo').hidden = true;
      },
    });
  $('exit').hidden = settings.hideExitButton;
  $('flows').hidden = flows.length < 2;
  form.elements.direction.value = flow;
  options(
    $('country'),
    [['', 'Anywhere'], ...countries.map(({ code, name }) => [code, name])],
    preset.country ?? lastCountry(),
  );
  fillForm(preset);
  $('unit').value = preset.unit;
  $('amount').value = state.preset = preset.amount ?? '';
  state.currency = $('currency').value;
  $('address').value = settings.userAddress ?? '';
  $('email').value = settings.userEmailAddress ?? '';
  $('warnings').replaceChildren(...warnings.map((text) => element('li', text)));
  show('order', { focus: false });
  requote();
  emit('WIDGET_CONFIG_DONE');
}

function failed(error) {
  const problems = error.answer?.problems ?? [error.message];
  $('problems').replaceChildren(...problems.map((text) => element('li', text)));
  const example = {
    hostAppName: 'Example app',
    hostLogoUrl: `${location.origin}/widget/logo.svg`,
    hostApiKey: 'sandbox-host-key',
  };
  $('example').href =
    `/?${new URLSearchParams({ ...example, enabledFlows: 'ONRAMP,OFFRAMP', inAsset: 'EUR', inAssetValue: '5000' })}`;
  show('failed');
  emit('WIDGET_CONFIG_FAILED', { problems });
}

form.addEventListener('input', ({ target }) => {
  if (target.name === 'method') return showOffer();
  if (target.name !== 'amount') return;
  clearTimeout(state.typing);
  state.typing = setTimeout(requote, REQUOTE_AFTER_TYPING);
});
/** A preset amount follows the currency that the person chooses instead; one that was typed stays (spec §2.11, fiatValue). */
async function followCurrency() {
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

form.addEventListener('change', async ({ target }) => {
  if (target.name === 'currency') await followCurrency();
  if (target.name === 'direction') fillForm({ asset: $('asset').value, currency: $('currency').value });
  if (['direction', 'asset', 'currency', 'country', 'unit'].includes(target.name)) {
    nameUnits();
    requote();
  }
});
form.addEventListener('submit', review);
$('fill').addEventListener('click', () => {
  $('address').value = chosenAsset()?.testAddress ?? '';
  $('address-problem').textContent = '';
  $('address').setAttribute('aria-invalid', 'false');
});
$('confirm').addEventListener('click', confirm);
$('back').addEventListener('click', () => show('order'));
$('again').addEventListener('click', again);
$('send-crypto').addEventListener('click', sendCrypto);
$('exit').addEventListener('click', exit);

ask(`/widget/settings${location.search}`).then(begin, failed);
