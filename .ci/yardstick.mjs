/**
 * A fixed piece of work of the kinds that the tests do: text to objects and back, digests, maps, sorting. What it takes says
 * how fast this machine is now, so that a bound on processor time holds on every machine.
 */
import { createHash } from 'node:crypto';

/** Processor seconds of the work: about one on a machine of 2025. */
export function yardstick() {
  const before = process.cpuUsage();
  const seen = new Map();
  for (let round = 0; round < 150; round++) {
    const rows = Array.from({ length: 1_000 }, (_, at) => ({
      id: `${round}-${(at * 7_919) % 1_000}`,
      amount: `${at}.${round}`,
      currency: 'EUR',
    }));
    const again = JSON.parse(JSON.stringify(rows)).sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const row of again) seen.set(createHash('sha256').update(row.id).update(row.amount).digest('hex'), row);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
