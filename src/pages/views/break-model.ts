/** What the page of one break shows. */
import type { BreakStory } from '../../explain/story.ts';
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
  /** Whom a note can mention, and whom a break can be assigned to. */
  people: readonly string[];
  claim: string | null;
  previous: string | null;
  next: string | null;
  up: string;
  here: string;
  limits: WaiverLimits;
}
