import { describe, expect, it } from 'vitest';
import { type Figure, figuresAt, packList, packLists, unpackLists } from '../../src/store/reference-figures.ts';

const CONTENT: readonly Figure[] = ['2750.07361133435', '10', null, '1', '-1', '0.00', '40719.44618910404', 'none'];
const all = [...CONTENT.keys()];

const packed = (figures: readonly Figure[]) => {
  const list = packList(CONTENT, figures);
  if (list === null) throw new Error('nothing changed');
  return list;
};

describe('packed figures', () => {
  it.each<[string, readonly Figure[]]>([
    ['moved prices', ['2751.1', '10', null, '1', '-1', '0.00', '40718.00000000001', 'none']],
    ['more and fewer places', ['2750.073611334350001', '10.0', null, '1', '-1.00', '0', '4', 'none']],
    ['what was unknown is known, and the reverse', [null, '10', '0.1', '1', null, '0.00', null, 'none']],
    ['other signs', ['-2750.07361133435', '-0.5', '-0.000', '0', '1', '-0.00', '40719', 'none']],
    ['texts that are no plain digits', ['1e5', '010', '', '+1', '.5', '0.00', 'ü', 'more']],
    ['long ones', [`${'9'.repeat(60)}.${'1'.repeat(60)}`, '9'.repeat(300), null, '1', '-1', '0.00', '1', 'none']],
  ])('come out as they went in: %s', (_, figures) => {
    expect(figuresAt(packed(figures), all, CONTENT)).toEqual(figures);
  });

  it('are read at some places alone', () => {
    const list = packed(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(figuresAt(list, [0, 3, 7], [CONTENT[0] ?? null, CONTENT[3] ?? null, CONTENT[7] ?? null])).toEqual([
      '1',
      '4',
      '8',
    ]);
  });

  it('are nothing where nothing moved', () => {
    expect(packList(CONTENT, [...CONTENT])).toBeNull();
  });

  it('of many lists are one text, found by the key of their content', () => {
    const lists = new Map([
      [7, packed(['1', '10', null, '1', '-1', '0.00', '4', 'none'])],
      [300_000, packed(['2', '10', null, '1', '-1', '0.00', '5', 'none'])],
    ]);
    expect([...unpackLists(packLists(lists))]).toEqual([...lists].map(([key, list]) => [key, Buffer.from(list)]));
  });

  it('of a damaged row are an error, not a figure', () => {
    expect(() => figuresAt(Uint8Array.of(0, 200), all, CONTENT)).toThrow(SyntaxError);
  });
});

/** Random walks of prices in so many places, against their first values: whatever the digits are, they come back. */
it('any figures come back', () => {
  let state = 42;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const text = () => {
    const places = next(20);
    const digits = Array.from({ length: 1 + next(18) + places }, () => next(10))
      .join('')
      .replace(/^0+(?=\d)/, '')
      .padStart(places + 1, '0');
    const whole = digits.length - places;
    return places === 0 ? digits : `${digits.slice(0, whole)}.${digits.slice(whole)}`;
  };
  for (let round = 0; round < 200; round++) {
    const content = Array.from({ length: 50 }, () => (next(10) === 0 ? null : text()));
    const figures = content.map((each) => [each, null, text(), each][next(4)] ?? null);
    const list = packList(content, figures);
    if (list === null) continue;
    expect(figuresAt(list, [...content.keys()], content)).toEqual(figures);
  }
});
