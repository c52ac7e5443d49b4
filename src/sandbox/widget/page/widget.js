/**
 * The hosted widget page: one form, one summary, one status. The server reads the parameters, prices, and words what is
 * shown; the scripts only move between the three and tell the embedding app what happened.
 */
import { chosenAsset, fillForm, followCurrency, nameUnits, requote, review, showOffer } from './form.js';
import { $, ask, element, emit, form, isEmbedded, options, say, show, state } from './page.js';
import { again, confirm, lastCountry, sendCrypto } from './transaction.js';

const REQUOTE_AFTER_TYPING = 250;

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
