/** The processes of `processes.test.ts` on a server. */
import { ENGINES } from './support/engines.ts';
import { shareDatabase } from './support/two-processes.ts';

for (const engine of ENGINES.filter(({ name }) => name !== 'SQLite')) shareDatabase(engine);
