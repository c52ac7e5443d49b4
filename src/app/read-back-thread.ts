/** The thread of `read-back-apart.ts`: reads one file of a set back. */
import { parentPort, workerData } from 'node:worker_threads';
import { realFileSystem } from '../publish/file-system.ts';
import { profileOf } from '../publish/profiles.ts';
import { readBack } from '../publish/read-back.ts';
import type { ReadBackOrder } from './read-back-apart.ts';

const { path, file, profile } = workerData as ReadBackOrder;
const found = await readBack(path, file, { profile: profileOf(profile), fileSystem: realFileSystem });
parentPort?.postMessage(found);
