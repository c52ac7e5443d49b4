/** Preloaded into a child: leaves a snapshot of its heap behind, as a debugger on the machine would take it. */
import { writeHeapSnapshot } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TIEOUT_FAULTS_HEAP;

if (file !== undefined && isMainThread) process.on('exit', () => void writeHeapSnapshot(file));
