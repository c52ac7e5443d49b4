/** Rules on which quote there is, and on what it and the published lists offered. */
import { assetIdentifier, sameAsset } from '../../domain/asset.ts';
import { showInstant } from '../../domain/record.ts';
import { verifiedState } from '../../rules/verified.ts';
import { showDuration } from '../../rules/wording/time.ts';
import { fact, plainOutcome, type Worker, type WorkingLine, wordsOnly } from './lines.ts';

export const quoteMissing: Worker = (input, _field, { window }) => {
  const state = verifiedState(input);
  if (state === null) return null;
  const { quoteId } = input.tracked;
  const wanted = [
    assetIdentifier(state.asset),
    state.fiatCurrency,
    ...(state.paymentMethod === null ? [] : [state.paymentMethod]),
  ].join(', ');
  const searched: WorkingLine[] =
    quoteId !== null
      ? []
      : state.createdAt === null
        ? [fact('captured quotes', 'not looked for: the creation time is not known')]
        : [
            fact('looked for', `a captured quote for ${wanted} and this amount`),
            {
              label: 'captured between',
              working: `created ${showInstant(state.createdAt)}, ${showDuration(window.before)} before to ${showDuration(window.after)} after`,
              result: `${showInstant(state.createdAt - window.before)} and ${showInstant(state.createdAt + window.after)}`,
              unit: null,
            },
          ];
  return wordsOnly([
    fact('linked quote', quoteId === null ? 'none' : `${quoteId}, never stored here`),
    ...searched,
    plainOutcome('found none', input.quote === null),
  ]);
};

export const quoteTermsDiffer: Worker = (input, field) => {
  const state = verifiedState(input);
  if (state === null || input.quote === null) return null;
  const { quote, method } = input.quote;
  const offered = quote.methods.map((each) => each.method).join(', ');
  const sides: Readonly<Record<string, { quoted: string; actual: string; agree: boolean }>> = {
    asset: {
      quoted: assetIdentifier(quote.asset),
      actual: assetIdentifier(state.asset),
      agree: sameAsset(quote.asset, state.asset),
    },
    fiat_currency: {
      quoted: quote.fiatCurrency,
      actual: state.fiatCurrency,
      agree: quote.fiatCurrency === state.fiatCurrency,
    },
    payment_method: {
      quoted: offered === '' ? 'not this method' : offered,
      actual: state.paymentMethod ?? 'none',
      agree: method !== null,
    },
  };
  const side = sides[field];
  if (side === undefined) return null;
  return wordsOnly([
    fact('linked quote', quote.quoteId),
    fact('quoted', side.quoted),
    fact('actual', side.actual),
    plainOutcome(side.agree ? 'the same' : 'not the same', !side.agree),
  ]);
};

export const methodUnsupported: Worker = (input) => {
  const state = verifiedState(input);
  const { methods } = input.reference;
  if (state === null || methods === null || state.paymentMethod === null) return null;
  const terms = methods.get(state.paymentMethod);
  const listed = [...methods.keys()].join(', ');
  if (terms === undefined) {
    return wordsOnly([
      fact('method', state.paymentMethod),
      fact('methods then', listed),
      plainOutcome('not among them', true),
    ]);
  }
  const supports = terms.currencies.includes(state.fiatCurrency);
  return wordsOnly([
    fact('method', state.paymentMethod),
    fact('currency', state.fiatCurrency),
    fact('its currencies then', terms.currencies.length === 0 ? 'none' : terms.currencies.join(', ')),
    plainOutcome(supports ? 'among them' : 'not among them', !supports),
  ]);
};
