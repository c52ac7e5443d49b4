/** The sandbox with limits of one's own, which the command does not offer: `node bench/limits/service.ts RECORDS LIMITS`. */
import { createSandbox } from '../../src/sandbox/sandbox.ts';

const [records = '1000', limits = '[]'] = process.argv.slice(2);
const sandbox = await createSandbox({
  clock: () => Date.now(),
  records: Number(records),
  rateLimits: JSON.parse(limits) as { requests: number; perMs: number }[],
});
process.on('SIGTERM', () => void sandbox.close());
console.log(JSON.stringify({ url: sandbox.url }));
