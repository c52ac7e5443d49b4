/**
 * Payments of the host's share on chains: transfers to its own addresses, as reported by the endpoints of
 * `evidence.chains`.
 */
import { UsageError } from '../domain/errors.ts';
import type { Instant } from '../domain/record.ts';
import { type Received, receivedBy } from '../evidence/chain/treasury.ts';
import type { AppData } from './app.ts';
import { sourcesOf } from './chains.ts';

const notConfigured = (chain: string, setting: string) =>
  new UsageError(`${setting} has no entry for the chain ${chain}`, {
    remedy: 'name its endpoints in evidence.chains, and the addresses of the host in evidence.payouts.treasury',
  });

/**
 * Stores the payments received on a chain, with the answers behind them.
 * @param span null: only the named transactions are looked at
 * @throws UsageError where the settings lack the chain or its treasury, EndpointKeyError
 */
export async function importTransfers(
  { settings, store, clock }: AppData,
  { chain, span, named }: { chain: string; span: { from: Instant; to: Instant } | null; named: readonly string[] },
  signal: AbortSignal,
): Promise<Received> {
  const endpoints = settings.evidence.chains.find((each) => each.chain === chain);
  if (endpoints === undefined) throw notConfigured(chain, 'evidence.chains');
  const own = settings.evidence.payouts.treasury.find((each) => each.chain === chain);
  if (own === undefined) throw notConfigured(chain, 'evidence.payouts.treasury');
  return receivedBy(
    sourcesOf(endpoints, { store, clock, random: Math.random }),
    {
      addresses: own.addresses,
      assets: own.assets.map(({ symbol, contract, decimals, pays, rate }) => ({
        symbol,
        contract,
        decimals,
        settles: pays === null || rate === null || pays === symbol ? null : { currency: pays, rate },
      })),
    },
    { span, named },
    {
      now: () => clock.wall.now(),
      signal,
      keep: (payouts, answers) => store.evidence.addPayouts(payouts, clock.wall.now(), answers),
    },
  );
}
