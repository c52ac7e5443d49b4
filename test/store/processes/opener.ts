/** Opens a database, which may not exist yet, and prints the result: `node opener.ts URL`. */
import { openStore } from '../../../src/store/open.ts';
import { SEALER } from '../support/engines.ts';

const { store, upkeep } = await openStore({ url: String(process.argv[2]), sealer: SEALER });
const { pending, integrity } = await upkeep.status();
console.log(JSON.stringify({ pending, integrity }));
await store.close();
