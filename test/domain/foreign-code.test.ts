import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { boundedCalls } from '../../src/domain/foreign-code.ts';

const forEver = () => {
  for (;;);
};

it('hands on what a call returns or throws', () => {
  const bounded = boundedCalls(1_000);
  expect(bounded(() => [1, 'a'])).toEqual([1, 'a']);
  expect(() =>
    bounded(() => {
      throw new TypeError('broken');
    }),
  ).toThrow(TypeError);
});

it('ends a call that loops for ever, the next one is made, and after ten none', () => {
  const bounded = boundedCalls(20);
  for (let i = 0; i < 9; i++) expect(() => bounded(forEver)).toThrow('it did not return within 0.02 s');
  expect(bounded(() => 'made')).toBe('made');
  expect(() => bounded(forEver)).toThrow(/0\.02 s$/);
  expect(() => bounded(() => 'made')).toThrow('it did not return within 0.02 s for 10 records: it is not called again');
});

it('ends it in a thread as well, where a run is judged on several cores', async () => {
  const file = new URL('../../src/domain/foreign-code.ts', import.meta.url).href;
  const text = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(file)}).then(({ boundedCalls }) => {
      try { boundedCalls(20)(() => { for (;;); }); } catch (error) { parentPort.postMessage(error.message); }
    });`;
  const thread = new Worker(text, { eval: true });
  const said = await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
  expect(said).toBe('it did not return within 0.02 s');
});
