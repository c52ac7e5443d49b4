/** What the rules on records that could not be read have in common: the request, the answer, and the last verified state. */
import { assetIdentifier } from '../domain/asset.ts';
import type { History } from '../domain/case.ts';
import { showMoney } from '../domain/currency.ts';
import { tokensOf } from '../domain/fee-parts.ts';
import { type Instant, isoInstant, showInstant } from '../domain/record.ts';
import type { RuleInput } from './rule.ts';
import { showDay, showFigure } from './wording.ts';
import { fact, type WorkingLine } from './working.ts';

/** `it was last verified on 2026-11-02 as RELEASED`, or that it never was. */
export function lastVerified(history: History): string {
  const last = history.lastVerified;
  if (last === null) return 'it was never verified before';
  return `it was last verified on ${showDay(last.at)}${last.status === null ? '' : ` as ${last.status}`}`;
}

export function requestLines({ kind, recordId }: RuleInput, at: Instant): WorkingLine[] {
  return [fact('asked for', `${kind} ${recordId}`), fact('at', isoInstant(at))];
}

export function lastVerifiedLines({ history }: RuleInput): WorkingLine[] {
  const last = history.lastVerified;
  if (last === null) return [fact('last verified', 'never')];
  return [
    fact('last verified', `${showInstant(last.at)}${last.status === null ? '' : ` as ${last.status}`}`),
    ...earlierBody(history),
  ];
}

/** What the record was about, by the body of its end or else by the first one. */
function earlierBody({ first, firstTerminal }: History): WorkingLine[] {
  const body = firstTerminal ?? first;
  if (body === null) return [];
  const { state, evidence } = body;
  const tokens = `${showFigure(tokensOf(state))} ${assetIdentifier(state.asset)}`;
  const fiat = showMoney(state.fiatValue, state.fiatCurrency);
  return [
    fact('amounts then', `${fiat} for ${tokens} (${showInstant(evidence.receivedAt)}, SHA-256 ${evidence.sha256})`),
  ];
}
