/**
 * `node bench/webhooks/run.ts [PER_SECOND] [RECORDS]`: 2,000 deliveries in 10 s while a night fetches PER_SECOND records a
 * second (20: twelve times the limits of an ordinary address) of RECORDS in all.
 */
import { publishTable, round } from '../support/report.ts';
import { burst } from './burst.ts';

const [perSecond = '20', records = '400'] = process.argv.slice(2);
const result = await burst({
  deliveries: 2_000,
  seconds: 10,
  records: Number.parseInt(records, 10),
  nightPerSecond: Number.parseInt(perSecond, 10),
});
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
const { sent, acknowledged, lost, refused, doubled, latencyMs, serveCpuSeconds } = result;
publishTable('webhooks', [
  {
    sent,
    acknowledged,
    lost,
    refused,
    doubled,
    'median ms': round(latencyMs.median, 0),
    'p99 ms': round(latencyMs.p99, 0),
    'worst ms': round(latencyMs.worst, 0),
    'receiver cpu s': serveCpuSeconds === null ? '' : round(serveCpuSeconds),
  },
]);
process.exitCode = result.lost === 0 && result.refused === 0 ? 0 : 1;
