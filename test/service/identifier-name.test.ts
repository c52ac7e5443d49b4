import { expect, it } from 'vitest';
import { exactJsonText, parseExactJson } from '../../src/service/exact-json.ts';
import { fromWireNames, suggestedName, wireFieldPath } from '../../src/service/wire/identifier-name.ts';

it('names the base fee as the specification does, at every depth and in its place', () => {
  const body = parseExactJson('{"CARD_PAYMENT":{"x":1,"baseRampFee":0.10,"y":2},"baseRampFee":3}');
  expect(exactJsonText(fromWireNames(body, 'Ramp') as typeof body)).toBe(
    '{"CARD_PAYMENT":{"x":1,"baseServiceFee":0.10,"y":2},"baseServiceFee":3}',
  );
});

it('names it in the objects of a list too, and keeps what else is in the list', () => {
  const body = parseExactJson('[7,{"baseRampFee":1},[{"baseRampFee":2}],null]');
  expect(exactJsonText(fromWireNames(body, 'Ramp') as typeof body)).toBe(
    '[7,{"baseServiceFee":1},[{"baseServiceFee":2}],null]',
  );
});

it('leaves a body without the field unchanged', () => {
  const body = parseExactJson('{"a":{"b":[1,2]}}');
  expect(fromWireNames(body, 'Ramp')).toBe(body);
  expect(fromWireNames(body, 'Service')).toBe(body);
});

it('believes the configured name where a body has both', () => {
  expect(fromWireNames({ baseServiceFee: 1, baseRampFee: 2 }, 'Ramp')).toEqual({ baseServiceFee: 2 });
});

it('does not take the specification’s name for the configured one', () => {
  expect(fromWireNames({ a: 1, baseServiceFee: 2 }, 'Ramp')).toEqual({ a: 1 });
});

it('keeps a key __proto__ a key', () => {
  const renamed = fromWireNames(parseExactJson('{"__proto__":{"a":1},"baseRampFee":2}'), 'Ramp');
  expect(Object.keys(renamed as object)).toEqual(['__proto__', 'baseServiceFee']);
});

it('names fields by the configured identifier name', () => {
  expect(wireFieldPath('response.PIX.baseServiceFee', 'Ramp')).toBe('response.PIX.baseRampFee');
  expect(wireFieldPath('baseServiceFee', 'Ramp')).toBe('baseRampFee');
  for (const other of ['appliedFee', 'databaseServiceFee', 'baseServiceFee.amount', 'response.baseServiceFees'])
    expect(wireFieldPath(other, 'Ramp')).toBe(other);
});

it('guesses the name from the keys of a body', () => {
  expect(suggestedName({ id: 1, baseRampFee: 2 })).toBe('Ramp');
  expect(suggestedName({ baseR2d2Fee: 2, baseOtherFee: 3 })).toBe('R2d2');
  expect(suggestedName({ [`base${'R'.repeat(40)}Fee`]: 1 })).toBe('R'.repeat(40));
  for (const key of ['base_fee', 'baseFee', 'base2Fee', 'databaseRampFee', 'baseRampFees', `base${'R'.repeat(41)}Fee`])
    expect(suggestedName({ id: 1, [key]: 2 })).toBeNull();
});
