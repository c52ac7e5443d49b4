/** Which routes there are. A further part of the API is one more file and one more name in a list. */
import { assetRoutes } from './assets.ts';
import { controlRoutes } from './control.ts';
import { documentationRoutes } from './documentation.ts';
import { listRoutes } from './lists.ts';
import { liveRoutes } from './live.ts';
import { quoteRoutes } from './quotes.ts';
import { recordRoutes } from './records.ts';
import type { Routes } from './site.ts';
import { testingRoutes } from './testing.ts';
import { widgetRoutes } from './widget.ts';

/** Under `/api`: rate-limited and counted. */
export const API_ROUTES: readonly Routes[] = [assetRoutes, listRoutes, quoteRoutes, recordRoutes, testingRoutes];

/** Under `/sandbox`. */
export const CONTROL_ROUTES: readonly Routes[] = [controlRoutes, liveRoutes];

/** At the origin itself: the hosted page, and what it alone asks. Neither limited nor counted, as a user's browser has an address of its own. */
export const WIDGET_ROUTES: readonly Routes[] = [widgetRoutes];

/** At the origin too, and no part of the Service. */
export const DOCUMENTATION_ROUTES: readonly Routes[] = [documentationRoutes];
