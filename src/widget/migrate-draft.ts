/** What a migration works on and what it tells. */
import { isLeftOut, valueText } from './config.ts';

/**
 * `moved`: under another name, same value. `converted`: the value changed too. `removed`: it had no effect beside what
 * stands now. `kept`: it could not be migrated, and a person must decide.
 */
type MigrationAction = 'moved' | 'converted' | 'removed' | 'kept';

export interface MigrationNote {
  action: MigrationAction;
  /** The deprecated parameter. */
  parameter: string;
  /** As it was. */
  value: string;
  /** What it became, or what wins over it; null where nothing does. */
  to: { parameter: string; value: string } | null;
  why: string;
  /** Users may see something else than before; a person should look. */
  attention: boolean;
}

/** A configuration under migration. Steps change it and say what they did. */
export interface MigrationDraft {
  readonly config: Map<string, unknown>;
  readonly notes: MigrationNote[];
}

/** The text of a parameter; null where it is left out, or has no text. */
export function draftText({ config }: MigrationDraft, name: string): string | null {
  return valueText(config.get(name)) ?? null;
}

/**
 * Takes a deprecated parameter up. An empty one says nothing, and goes without a word; one that has no text (an object, a
 * number that lost its digits) stays, with a note.
 * @returns its text, or null where there is nothing to migrate
 */
export function takeUp(draft: MigrationDraft, name: string): string | null {
  if (!draft.config.has(name)) return null;
  const value = draft.config.get(name);
  const text = valueText(value);
  if (isLeftOut(value)) draft.config.delete(name);
  if (text !== undefined) return text;
  draft.notes.push({
    action: 'kept',
    parameter: name,
    value: typeof value === 'number' ? String(value) : `(${typeof value})`,
    to: null,
    why: 'it has no exact text; give it as text, with every digit',
    attention: true,
  });
  return null;
}
