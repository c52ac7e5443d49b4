/** What the page of one break shows. */
import type { Claim, ClaimItem } from '../../domain/claim.ts';
import type { BreakStory } from '../../explain/story.ts';
import type { QuoteAnswer } from '../../ports/service.ts';
import type { Attachment, CurrentBreak, Note, WaiverRequest } from '../../ports/store/store.ts';
import type { WaiverLimits } from '../../worklist/work.ts';

export interface BreakModel {
  story: BreakStory;
  /** The redacted body; null where none is kept. */
  evidence: string | null;
  related: readonly CurrentBreak[];
  notes: readonly Note[];
  attachments: readonly Attachment[];
  requests: readonly WaiverRequest[];
  /** People whom a note can mention and to whom a break can be assigned. */
  people: readonly string[];
  /** The quote that it was judged against, as it was captured; null where there is none. */
  quote: QuoteAnswer | null;
  /** The claim that it is in, with its own part. */
  claim: { claim: Claim; item: ClaimItem | null } | null;
  previous: string | null;
  next: string | null;
  up: string;
  here: string;
  limits: WaiverLimits;
  /** The newest event is a decision of today. */
  mayUndo: boolean;
}
