/** What each role may do. A person may have several. */
import type { Role } from '../domain/actor.ts';

/**
 * `work`: decide about breaks, note, attach, claim. `approve`: be the second person of a waiver. `close` and `review`: a
 * month. `administer`: see who has access, and end it.
 */
const PERMISSIONS = ['view', 'work', 'approve', 'close', 'review', 'administer'] as const;
/** What a role may do; the pages ask for one before every act. */
export type Permission = (typeof PERMISSIONS)[number];

const GRANTED: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['view'],
  analyst: ['view', 'work'],
  closer: ['view', 'work', 'close'],
  reviewer: ['view', 'work', 'approve', 'review'],
  administrator: ['view', 'administer'],
};

export function may(roles: readonly Role[], permission: Permission): boolean {
  return roles.some((role) => GRANTED[role].includes(permission));
}
