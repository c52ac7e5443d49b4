/** A stack of release functions: code that opens something pushes its release. Last-in first-out; after a failure the rest is still released. */
import { UnavailableError } from '../domain/errors.ts';

type Release = () => void | Promise<void>;

/** Thrown after all release functions ran, if some failed. `cause` is the error of the work, if it failed too. */
export class ReleaseError extends UnavailableError {
  readonly errors: readonly unknown[];
  constructor(failures: readonly { what: string; error: unknown }[], cause?: unknown) {
    const failed = failures.map(({ what }) => what);
    const before = cause === undefined ? 'the work before it was done' : 'the work before it had failed already';
    super(`could not be closed properly: ${failed.join(', ')} (${before})`, {
      remedy: 'see the causes with -v',
      cause,
    });
    this.errors = failures.map(({ error }) => error);
  }
}

/** Closes what was opened, last first, also after an error. */
export class Releasers implements AsyncDisposable {
  #held: { what: string; release: Release }[] = [];

  /** `what` names the thing in an error: `database`, `webhook server`. */
  push(what: string, release: Release): void {
    this.#held.push({ what, release });
  }

  /**
   * Releases everything, once: a second call finds nothing left.
   * @throws ReleaseError after all have been tried.
   */
  async release(cause?: unknown): Promise<void> {
    const failures: { what: string; error: unknown }[] = [];
    for (let last = this.#held.pop(); last !== undefined; last = this.#held.pop()) {
      try {
        await last.release();
      } catch (error) {
        failures.push({ what: last.what, error });
      }
    }
    if (failures.length > 0) throw new ReleaseError(failures, cause);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }
}

/**
 * Runs work, then the release functions that it pushed, whether it succeeds or throws.
 * @throws what the work threw; ReleaseError where releasing failed, with the work's error as its cause.
 */
export async function withReleasers<T>(work: (releasers: Releasers) => Promise<T>): Promise<T> {
  const releasers = new Releasers();
  let result: T;
  try {
    result = await work(releasers);
  } catch (error) {
    await releasers.release(error);
    throw error;
  }
  await releasers.release();
  return result;
}
