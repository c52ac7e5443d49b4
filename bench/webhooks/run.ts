/**
 * `node bench/webhooks/run.ts [PER_SECOND] [RECORDS]`: 2,000 deliveries in 10 s while a night fetches PER_SECOND records a
 * second (20: twelve times the limits of an ordinary address) of RECORDS in all.
 */
import { burst } from './burst.ts';

const [perSecond = '20', records = '400'] = process.argv.slice(2);
const result = await burst({
  deliveries: 2_000,
  seconds: 10,
  records: Number.parseInt(records, 10),
  nightPerSecond: Number.parseInt(perSecond, 10),
});
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
process.exitCode = result.lost === 0 && result.refused === 0 ? 0 : 1;
