/** Preloaded into a child: its machine has the name in TIEOUT_FAULTS_HOST, as each container has one of its own. */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const os = createRequire(import.meta.url)('node:os') as { hostname: () => string };
const name = process.env.TIEOUT_FAULTS_HOST ?? '';
os.hostname = () => name;
syncBuiltinESMExports();
