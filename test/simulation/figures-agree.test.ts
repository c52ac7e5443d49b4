/** Every figure that is seen in two places is one figure; the month of 2,000 records is in the long suites. */
import { itAgrees } from './figures.ts';

itAgrees(90);
