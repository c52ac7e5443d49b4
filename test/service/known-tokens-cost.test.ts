import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { KnownTokens } from '../../src/service/known-tokens.ts';
import { processorMs } from '../support/processor-time.ts';

it('costs a body no more after a hundred thousand tokens than after ten thousand', () => {
  const known = new KnownTokens();
  const drawn = (n: number) => hash('sha256', String(n), 'base64url');
  const body = Array.from({ length: 100 }, (_, n) => drawn(-n)).join(',');
  const add = (from: number, to: number) => {
    for (let n = from; n < to; n++) known.add(drawn(n).slice(0, 16));
  };
  const cost = () =>
    Math.min(
      ...Array.from({ length: 5 }, () =>
        processorMs(() => {
          for (let n = 0; n < 1_000; n++) known.foundIn(body, '');
        }),
      ),
    );
  add(0, 10_000);
  cost();
  const before = cost();
  add(10_000, 100_000);
  expect(cost()).toBeLessThan(1.6 * before);
});
