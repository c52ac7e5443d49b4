/**
 * What the witnesses of a chain say of transactions, portion by portion: a caller stores one before the next is asked for, so that no
 * more is held than may be, and a night that stops keeps what was answered.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Instant } from '../../domain/record.ts';
import type { Account, SightingWithAnswers, TxCheck, WitnessSet } from '../../ports/witness.ts';
import { none } from './absence.ts';
import { TooMuchAtOnceError } from './endpoint.ts';
import { agreedSighting, type WitnessAnswer } from './quorum.ts';

/** Transactions asked for at once, unless their answers are too much to be held. */
const PORTION = 500;
/** Characters of evidence that are handed on at once: each of them repeats an answer that is held. */
const HANDED_ON = 4 * 1024 * 1024;

export async function* heardOf<T extends TxCheck>(
  { chain, witnesses, quorum }: WitnessSet,
  wanted: readonly T[],
  { now, signal }: { now: () => Instant; signal: AbortSignal },
): AsyncGenerator<(SightingWithAnswers & { check: T })[]> {
  let most = PORTION;
  for (let from = 0; from < wanted.length && !signal.aborted; ) {
    const portion = wanted.slice(from, from + most);
    const accounts = await Promise.all(
      witnesses.map(async ({ name, look }) => ({ name, heard: await unlessTooMuch(look(portion, signal)) })),
    );
    if (portion.length > 1 && accounts.some(({ heard }) => heard === null)) {
      most = Math.ceil(portion.length / 2);
      continue;
    }
    from += portion.length;
    const at = now();
    let agreed: (SightingWithAnswers & { check: T })[] = [];
    let held = 0;
    for (const check of portion) {
      const answers = accounts.flatMap(({ name, heard }): WitnessAnswer[] => {
        // Taken out: once it is stored nothing holds it any more.
        const account =
          heard === null ? none('answered with more than may be held for one transaction') : heard.shift();
        return account === undefined ? [] : [{ witness: name, account }];
      });
      const sighted = agreedSighting({ chain, txHash: check.txHash }, answers, quorum, at);
      agreed.push({ check, ...sighted });
      held += sighted.evidence.length;
      // The lease is renewed by a timer of this thread.
      await breathe();
      if (held < HANDED_ON) continue;
      yield agreed;
      [agreed, held] = [[], 0];
    }
    if (agreed.length > 0) yield agreed;
  }
}

async function unlessTooMuch(answers: Promise<readonly Account[]>): Promise<Account[] | null> {
  try {
    return [...(await answers)];
  } catch (error) {
    if (error instanceof TooMuchAtOnceError) return null;
    throw error;
  }
}
