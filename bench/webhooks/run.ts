/** `node bench/webhooks/run.ts`: 2,000 deliveries in 10 s while a night fetches 300 records a second. */
import { burst } from './burst.ts';

const result = await burst({ deliveries: 2_000, seconds: 10, records: 4_000, nightPerSecond: 300 });
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
process.exitCode = result.lost === 0 && result.refused === 0 ? 0 : 1;
