/** All routes of the pages. */
import type { FastifyInstance } from 'fastify';
import type { PagesEdges } from '../contract.ts';
import { accessRoutes, signInRoutes } from './access.ts';
import { breakRoutes } from './break.ts';
import { bulkRoutes } from './bulk.ts';
import { claimRoutes } from './claims.ts';
import { colleagueRoutes } from './colleagues.ts';
import { groupRoutes, groupsIn } from './groups.ts';
import { mentionRoutes } from './mentions.ts';
import { monthRoutes } from './months.ts';
import { oidcRoutes } from './oidc.ts';
import { queueRoutes } from './queue.ts';
import { recordRoutes } from './records.ts';
import { revenueRoutes } from './revenue.ts';
import { runRoutes } from './runs.ts';

export function addRoutes(app: FastifyInstance, edges: PagesEdges): void {
  const groups = groupsIn(edges.store);
  signInRoutes(app, edges);
  if (edges.settings.oidc !== null) oidcRoutes(app, edges, edges.settings.oidc);
  queueRoutes(app, edges);
  bulkRoutes(app, edges, groups);
  breakRoutes(app, edges);
  colleagueRoutes(app, edges);
  groupRoutes(app, edges, groups);
  claimRoutes(app, edges, groups);
  monthRoutes(app, edges);
  revenueRoutes(app, edges);
  runRoutes(app, edges);
  recordRoutes(app, edges);
  mentionRoutes(app, edges);
  accessRoutes(app, edges);
}
