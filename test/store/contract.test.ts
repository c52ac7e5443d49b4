import { describeStore } from './contract/index.ts';
import { ENGINES } from './support/engines.ts';

for (const engine of ENGINES) describeStore(engine);
