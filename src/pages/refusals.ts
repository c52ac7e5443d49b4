/** Records refusals of signed-in people by name, and all others by their address. */
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../domain/actor.ts';
import type { PagesEdges } from './contract.ts';
import { note } from './people.ts';

/**
 * Within this window, equal refusals without a person are recorded once, and at most MOST_OF_STRANGERS different ones.
 */
const WINDOW_MS = 600_000;
const MOST_OF_STRANGERS = 200;
/** Longer texts come from the request. */
const LONGEST_DETAIL = 500;

export type NoteRefusal = ReturnType<typeof refusalsInto>;

export function refusalsInto(edges: PagesEdges) {
  let since = Number.NEGATIVE_INFINITY;
  let known = new Set<string>();
  const isNews = (what: string): boolean => {
    const now = edges.now();
    // A clock that was set back makes no window longer.
    if (Math.abs(now - since) > WINDOW_MS) {
      since = now;
      known = new Set();
    }
    if (known.has(what) || known.size > MOST_OF_STRANGERS) return false;
    known.add(what);
    if (known.size <= MOST_OF_STRANGERS) return true;
    edges.log.warn('the pages refuse more strangers than the record of acts takes; see the log of the proxy');
    return false;
  };
  /** @param claimed the name that a header gave, where it was not believed */
  return async (request: FastifyRequest, why: string, claimed: string | null = null): Promise<void> => {
    const detail = why.slice(0, LONGEST_DETAIL);
    const action = `${request.method} ${request.routeOptions.url ?? 'an unknown path'}`;
    const { person } = request;
    const actor = person?.actor ?? stranger(request, claimed);
    // The secret of a link, and the code of a provider, sign a person in.
    const subject = request.url.replace(/^(\/sign-in\/link\/|\/sign-in\/oidc\/return\?).*/, '$1…').slice(0, 200);
    if (person === null && !isNews(`${actor.account}\n${actor.name}\n${action}\n${detail}`)) return;
    await note(edges, actor, { action, subject: claimed === null ? subject : '', outcome: 'refused', detail });
  };
}

/** Without a sign-in, the name is only claimed by a header; the address is that of the connection. */
function stranger({ socket }: FastifyRequest, claimed: string | null): Actor {
  return {
    name: claimed ?? 'not signed in',
    account: `address:${socket.remoteAddress ?? 'unknown'}`,
    proof: 'stated',
  };
}
