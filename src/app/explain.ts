/** The story of a break and the preview of other rules, with what a run stored read from the store. */
import type { RuleOverlay } from '../../config/rule-overlay.ts';
import { hostShareOf } from '../domain/host-share.ts';
import type { Kind } from '../domain/record.ts';
import type { Run } from '../domain/run.ts';
import { explainBreak } from '../explain/explain-break.ts';
import { explainRecord } from '../explain/explain-record.ts';
import { type PreviewChange, preview } from '../explain/preview.ts';
import type { BuildCases } from '../explain/recompute.ts';
import type { BreakStory } from '../explain/story.ts';
import type { CurrentBreak } from '../ports/store/store.ts';
import { buildCases } from '../reconcile/build-cases.ts';
import { thawTerms } from '../rules/terms.ts';
import type { App } from './app.ts';

function casesIn({ store }: App): BuildCases {
  return (page, run, terms) => buildCases(page, run, terms, store);
}

/** The whole story of one break: its arithmetic again, its record, its quote, its history. Sends nothing. */
export function storyOf(app: App, standing: CurrentBreak): Promise<BreakStory> {
  return explainBreak(standing, app.store, app.terms, casesIn(app));
}

/** One record by kind and id, matched ones too, with the host's share of it. Null where it is not tracked. */
export async function recordStoryOf(app: App, kind: Kind, recordId: string) {
  const story = await explainRecord(kind, recordId, app.store, casesIn(app));
  if (story === null) return null;
  const { state, judgedIn } = story;
  const quote = judgedIn?.quote ?? null;
  return { story, share: state === null ? null : hostShareOf(state, quote, app.terms) };
}

/** Which breaks of a stored run other rules and tolerances would add and remove, rule by rule. Changes nothing. */
export function previewRules(app: App, run: Run, overlay: RuleOverlay, onChange: (change: PreviewChange) => void) {
  const present = thawTerms(run.terms);
  const { rules, tolerances } = present;
  const changed = { ...present, rules: overlay.rules ?? rules, tolerances: overlay.tolerances ?? tolerances };
  return preview(run, changed, app.store, casesIn(app), onChange);
}
