/** Every job, by name. A new job is one file and one line here. */
import type { Job } from '../src/ports/job.ts';
import { audit } from './audit.ts';
import { nightly } from './nightly.ts';
import { quotes } from './quotes.ts';
import { recheck } from './recheck.ts';
import { referenceData } from './reference-data.ts';
import { retention } from './retention.ts';

export const JOBS: readonly Job[] = [
  // The order of help texts.
  nightly,
  audit,
  referenceData,
  recheck,
  quotes,
  retention,
];
