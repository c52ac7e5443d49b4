/** Lets those who want the same lock wait here, in order, and not each on a connection of its own. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when everything asked for before it under this name has ended, well or not. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    const forget = (): void => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  }
}
