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

export class Refusals {
  readonly #edges: PagesEdges;
  #since = Number.NEGATIVE_INFINITY;
  #known = new Set<string>();

  constructor(edges: PagesEdges) {
    this.#edges = edges;
  }

  /** @param claimed the name that a header gave, where it was not believed */
  async note(request: FastifyRequest, why: string, claimed: string | null = null): Promise<void> {
    const detail = why.slice(0, LONGEST_DETAIL);
    const action = `${request.method} ${request.routeOptions.url ?? 'an unknown path'}`;
    const { person } = request;
    const actor = person?.actor ?? stranger(request, claimed);
    const subject = request.url.replace(/^\/sign-in\/link\/.*/, '/sign-in/link/…').slice(0, 200);
    if (person === null && !this.#isNews(`${actor.account}\n${actor.name}\n${action}\n${detail}`)) return;
    await note(this.#edges, actor, { action, subject: claimed === null ? subject : '', outcome: 'refused', detail });
  }

  #isNews(what: string): boolean {
    const now = this.#edges.now();
    if (now - this.#since > WINDOW_MS) {
      this.#since = now;
      this.#known = new Set();
    }
    if (this.#known.has(what) || this.#known.size > MOST_OF_STRANGERS) return false;
    this.#known.add(what);
    if (this.#known.size <= MOST_OF_STRANGERS) return true;
    this.#edges.log.warn('the pages refuse more strangers than the record of acts takes; see the log of the proxy');
    return false;
  }
}

/** Without a sign-in, the name is only claimed by a header; the address is that of the connection. */
function stranger({ socket }: FastifyRequest, claimed: string | null): Actor {
  return {
    name: claimed ?? 'not signed in',
    account: `address:${socket.remoteAddress ?? 'unknown'}`,
    proof: 'stated',
  };
}
