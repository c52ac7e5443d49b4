/**
 * Publishes a small set with the product's own publication and the machine's own file system, under a name that is the
 * same each time, so that a tracer can be given the paths beforehand. `node publish.ts OUT DATE [records=3]`
 */
import { aRecord, publishSet, THREE_RECORDS } from '../../publish/support/a-set.ts';

const [out = '', businessDate = '', records = '3'] = process.argv.slice(2);
const more = Array.from({ length: Number(records) - 3 }, (_, n) => aRecord({ id: `t${String(n).padStart(6, '0')}` }));
console.log(
  await publishSet({
    out,
    businessDate,
    suffix: 'traced',
    isGone: () => true,
    records: [...THREE_RECORDS, ...more],
    facts: { population: Number(records) },
  }),
);
