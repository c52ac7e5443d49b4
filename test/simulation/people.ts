/** People at the work list, by the commands that they would use. */
import type { OpenApp } from '../../src/cli/session.ts';
import { tieout } from '../cli/world.ts';
import type { FrozenWorld } from '../e2e/support/frozen-world.ts';
import type { Model, PrintedEvent } from './model.ts';

/** Stories read a night, and at the end: a command each, which costs more than a night's judging of the record. */
const STORIES_A_NIGHT = 4;
const STORIES_AT_THE_END = 60;

/** Each morning they acknowledge, waive and reopen some of it, by the commands. */
export class People {
  private readonly openApp: OpenApp;
  private readonly random: () => number;
  private touched: string[] = [];

  constructor(world: FrozenWorld, random: () => number) {
    this.openApp = async () => world.app;
    this.random = random;
  }

  async decide(model: Model): Promise<void> {
    this.touched = [];
    await this.say(model, 'ack', this.some(model.ids('open', 'reopened'), 0.1));
    await this.say(model, 'waive', this.some(model.ids('open', 'reopened', 'acknowledged'), 0.08));
    await this.say(model, 'reopen', this.some(model.ids('waived'), 0.08));
  }

  /** Breaks that moved last, by day and by night: that is where a story could go wrong. */
  lately(model: Model): readonly string[] {
    const half = STORIES_A_NIGHT / 2;
    return [...this.touched.slice(-half), ...model.ids('reopened', 'resolved').slice(-half)];
  }

  /** A sample of all records, in every state. */
  sample(model: Model): readonly string[] {
    const all = model.ids('open', 'acknowledged', 'reopened', 'waived', 'resolved');
    const step = Math.ceil(all.length / STORIES_AT_THE_END);
    return all.filter((_, n) => n % step === 0);
  }

  async eventsOf(id: string): Promise<readonly PrintedEvent[]> {
    const { events } = (await this.run(`breaks show ${id} --json`)) as { events: readonly PrintedEvent[] };
    return events;
  }

  private some(ids: readonly string[], share: number): string[] {
    return ids.filter(() => this.random() < share);
  }

  /** One command for all of them: all are decided about, or none. */
  private async say(model: Model, verb: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const decided = (await this.run(`breaks ${verb} ${ids.join(' ')} --reason ticket-4711 --by kim --json`)) as {
      break_id: string;
      state: string;
    }[];
    for (const { break_id: id, state } of decided) model.decided(id, state);
    this.touched.push(...ids);
  }

  private async run(line: string): Promise<unknown> {
    const { code, out, err } = await tieout(line, { openApp: this.openApp });
    if (code !== 0) throw new Error(`${line.slice(0, 100)}: ${code} ${err}`);
    return JSON.parse(out);
  }
}
