/** As figures-agree.test.ts, over 2,000 records. */
import { itAgrees } from './figures.ts';

itAgrees(2_000);
