/** The application as commands about months use it. */
import type { Session } from '../session.ts';

/** @param functions those of the command, loaded here because its help needs none of them */
export async function openPeriods<T extends object>(session: Session, functions: Promise<T>) {
  const [loaded, { periodEdges }] = await Promise.all([functions, import('../../app/periods.ts')]);
  const app = await session.app();
  return { ...loaded, app, edges: periodEdges(app) };
}
