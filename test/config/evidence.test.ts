/** Endpoints of chains in the settings: the finality settings of each kind of chain, and the limits of requests. */
import { describe, expect, it } from 'vitest';
import { load, problem } from './loading.ts';

const chain = (fields: string) => ({
  yaml: `evidence:\n  chains:\n    - { ${fields}, endpoints: [{ name: one, url: "https://one.example" }] }\n`,
});

describe('a chain', () => {
  it('has defaults', () => {
    const [read] = load(chain('chain: ETH, type: evm')).settings.evidence.chains;
    expect(read).toMatchObject({ chainId: null, genesis: null, quorum: 1, finality: 'finalized' });
    expect(read?.endpoints[0]).toMatchObject({
      batch: 20,
      concurrency: 4,
      rateLimits: 'off',
      timeout: 20_000,
      trace: 'off',
    });
  });

  it.each([
    [
      'chain: BTC, type: bitcoin, finality: 6, genesis: 000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    ],
    ['chain: SOLANA, type: solana, genesis: 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
    ['chain: MATIC, type: evm, chainId: 137, finality: 128'],
  ])('%s', (fields) => {
    expect(load(chain(fields)).settings.evidence.chains).toHaveLength(1);
  });

  it.each([
    ['chain: BTC, type: bitcoin', 'finality', 'must be a number of blocks: Bitcoin has no finality of its own'],
    ['chain: SOLANA, type: solana, finality: 32', 'finality', 'must be finalized: Solana says itself what is final'],
    ['chain: ETH, type: evm, quorum: 2', 'quorum', 'is more than there are endpoints'],
    ['chain: XLM, type: stellar', 'type', 'evm, bitcoin, solana'],
    ['chain: BTC, type: bitcoin, finality: 6, genesis: short', 'genesis', 'the hash of the first block'],
  ])('refused: %s', (fields, setting, message) => {
    const line = problem(chain(fields));
    expect(line).toContain(`evidence.chains[0].${setting}`);
    expect(line).toContain(message);
  });
});
