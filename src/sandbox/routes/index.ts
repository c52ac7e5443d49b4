/** Which routes there are. A further part of the API is one more file and one more name in a list. */
import { assetRoutes } from './assets.ts';
import { controlRoutes } from './control.ts';
import { listRoutes } from './lists.ts';
import { quoteRoutes } from './quotes.ts';
import { recordRoutes } from './records.ts';
import type { Routes } from './site.ts';

/** Under `/api`: rate-limited and counted. */
export const API_ROUTES: readonly Routes[] = [assetRoutes, listRoutes, quoteRoutes, recordRoutes];

/** Under `/sandbox`. */
export const CONTROL_ROUTES: readonly Routes[] = [controlRoutes];
