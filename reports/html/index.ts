/** What the page shows, in its order. A new view is one file and one line here. */
import type { View } from '../../src/ports/html-view.ts';
import { breaksView } from './breaks.ts';
import { coverageView } from './coverage.ts';
import { driftView } from './drift.ts';
import { feeBandView } from './fee-band.ts';
import { feeVarianceView } from './fee-variance.ts';
import { outcomeView } from './outcome.ts';
import { proofView } from './proof.ts';
import { slippageView } from './slippage.ts';
import { volumeView } from './volume.ts';

export const VIEWS: readonly View[] = [
  outcomeView,
  breaksView,
  feeVarianceView,
  slippageView,
  driftView,
  feeBandView,
  volumeView,
  proofView,
  coverageView,
];
