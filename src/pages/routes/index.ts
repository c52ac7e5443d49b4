/** All routes of the pages. */
import type { FastifyInstance } from 'fastify';
import type { PagesEdges } from '../contract.ts';
import { breakRoutes } from './break.ts';
import { queueRoutes } from './queue.ts';
import { signInRoutes } from './sign-in.ts';

export function addRoutes(app: FastifyInstance, edges: PagesEdges): void {
  signInRoutes(app, edges);
  queueRoutes(app, edges);
  breakRoutes(app, edges);
}
